"""Words for names of files, people and functions. They depend on the random seed, so no model knows them by heart."""

import random

_POOL = """
acorn amber anvil apple arrow aspen atlas badge basil beach birch bison blaze brick brook cabin camel canoe cedar chalk
cider cliff cloud cobra coral crane crown daisy delta diver eagle ember fable falcon ferry field finch flame flint frost
ginger glade grape grove harbor hazel heron honey igloo indigo iris ivory jade jasper juniper kettle koala lagoon lemon
lilac linen lotus lynx magnet mango maple marble meadow melon mint moss nectar north nutmeg oasis olive onyx opal orbit
otter panda pearl pebble pepper pine plum poppy quartz quill raven reef ridge river robin saddle salmon sage shell
sienna silver slate spruce stone sugar tiger timber topaz trout tulip velvet violet walnut willow zebra
"""


def pick_words(rng: random.Random, count: int) -> list[str]:
    """So many words, no two the same."""
    return rng.sample(_POOL.split(), count)
