"""Mutation testing of the engine: small faults put into its modules one by one, each of which a test must notice.

python -m dev.mutation
"""
