# SPDX-License-Identifier: Apache-2.0
"""Halves of an array in two streams from pinned memory, with events, and a stream that waits for another one's event."""
import numpy as np
from numba import cuda


@cuda.jit
def square(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= x[i]


host = cuda.pinned_array(1000, np.float32)
host[:] = np.arange(1000)
streams = [cuda.stream() for _ in range(2)]
start, end, first = cuda.event(), cuda.event(), cuda.event()
start.record(streams[0])
parts = [cuda.to_device(host[i * 500:(i + 1) * 500], stream=s) for i, s in enumerate(streams)]
for part, s in zip(parts, streams):
    square[4, 128, s](part)
first.record(streams[0])
first.wait(streams[1])
square[4, 128, streams[1]](parts[0])
for i, (part, s) in enumerate(zip(parts, (streams[1], streams[1]))):
    part.copy_to_host(host[i * 500:(i + 1) * 500], stream=s)
end.record(streams[1])
end.synchronize()
want = np.arange(1000, dtype=np.float32) ** 2
want[:500] *= want[:500]
assert (host == want).all() and start.elapsed_time(end) >= 0
print("passed")
