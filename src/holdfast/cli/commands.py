"""Every command of `holdfast`, in the order of the help. This is the one list: all else is made out of it."""

from . import (
    agenting,
    claiming,
    completing,
    describing,
    doctoring,
    editing,
    evaluating,
    hooking,
    installing,
    mcp_serving,
    measuring,
    migrating,
    serving,
    showing,
    transferring,
    watching,
)

COMMANDS = (
    *showing.COMMANDS,
    *watching.COMMANDS,
    *serving.COMMANDS,
    *agenting.COMMANDS,
    *mcp_serving.COMMANDS,
    *installing.COMMANDS,
    *hooking.COMMANDS,
    *editing.COMMANDS,
    *claiming.COMMANDS,
    *transferring.COMMANDS,
    *migrating.COMMANDS,
    *measuring.COMMANDS,
    *evaluating.COMMANDS,
    *describing.COMMANDS,
    *doctoring.COMMANDS,
    *completing.COMMANDS,
)
