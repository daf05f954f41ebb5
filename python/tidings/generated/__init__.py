# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What ``rtl/generate.py`` makes of the registers and packages of the RTL."""
