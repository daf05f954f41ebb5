# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""What is compiled on the user's computer: nodes and MPI programs."""
