#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Turn CSV on standard input into a table of Markdown.

Each argument is a column, ``HEADING=EXPRESSION:FORMAT``: an expression of the columns of the CSV, as pandas evaluates
it, and a format of Python. The heading is the expression if it is not given. Columns with a format are to the right.
"""

import argparse
import sys

import pandas as pd


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("columns", nargs="+", metavar="HEADING=EXPRESSION:FORMAT")
    parser.add_argument("--where", metavar="CONDITION", help="the rows that are shown, as pandas.DataFrame.query reads")
    options = parser.parse_args()
    frame = pd.read_csv(sys.stdin)
    if options.where:
        frame = frame.query(options.where)
    headings, rules, columns = [], [], []
    for column in options.columns:
        named, _, form = column.partition(":")
        heading, _, expression = named.rpartition("=")
        values = pd.Series(frame.eval(expression))
        headings.append(heading or expression)
        rules.append("---:" if form else "---")
        columns.append(["" if pd.isna(value) else format(value, form) for value in values])
    for cells in (headings, rules, *zip(*columns, strict=True)):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
