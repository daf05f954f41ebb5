# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Machine files: schema, reader, and views of them."""
