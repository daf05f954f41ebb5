# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""PUTs, GETs and barriers in the engines: what they take, what is possible, and what Ziavras 2006 publishes."""
