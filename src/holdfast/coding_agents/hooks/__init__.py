"""Hooks: recording the plans that other agents keep with their own tools, and answering when theirs has faded.

A harness runs `holdfast hook HARNESS` at each event, with JSON on standard input. Every hook is a process of its own,
and the harness waits for it: modules here import no more than their own step needs.
"""
