#!/usr/bin/env python3
# Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
"""Pi by numerical integration: objects by pickle, arrays as buffers."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size

# Methods with small letters send any object.
job = comm.bcast({"steps": 100_000, "from": 0.0, "to": 1.0} if rank == 0 else None)
width = (job["to"] - job["from"]) / job["steps"]

x = job["from"] + (np.arange(rank, job["steps"], ranks) + 0.5) * width
mine = np.array([np.sum(4.0 / (1.0 + x * x)) * width])

# Methods with capital letters send arrays as they are in memory.
pi = np.empty(1)
comm.Reduce(mine, pi, op=MPI.SUM, root=0)

left = np.empty(1)
comm.Sendrecv(mine, dest=(rank + 1) % ranks, recvbuf=left, source=(rank - 1) % ranks)
told = comm.gather({"rank": rank, "share": round(mine[0], 6), "left": round(left[0], 6)})
if rank == 0:
    print(f"pi is {pi[0]:.8f}")
    for one in told:
        print(f"rank {one['rank']} has {one['share']:.6f}, the rank before it {one['left']:.6f}")
