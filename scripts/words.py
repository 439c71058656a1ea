# SPDX-License-Identifier: BSD-3-Clause
"""The words of a script's command line; what is wrong with them is said in one sentence."""
import argparse
import os
import sys


def refuse(sentence):
    print(f"scripts/{os.path.basename(sys.argv[0])}: {sentence}", file=sys.stderr)
    sys.exit(2)


class Parser(argparse.ArgumentParser):
    """Says what is wrong in a sentence, without all options before it."""

    def error(self, message):
        refuse(f"{message}; --help has the options")


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def numbers(text):
    try:
        values = [int(word) for word in text.split(",")]
    except ValueError:
        values = [0]
    if min(values) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of whole numbers from 1 on")
    return values
