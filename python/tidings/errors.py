# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""The base of all errors that a user can do something about."""


class UserError(Exception):
    """Something that the user asked for cannot be done; the message says what, where, and what to do."""
