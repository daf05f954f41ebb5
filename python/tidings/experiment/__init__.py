# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Published values of papers, beside what Tidings computes or simulates of them."""
