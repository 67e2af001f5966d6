"""Hooks: they record the plans that other agents keep with their own tools, and bring a plan back when it has faded.

A harness runs `holdfast hook HARNESS` at each event, with JSON on standard input. Every hook is a separate process, and
the harness waits for it: so modules here import no more than their own step needs.
"""
