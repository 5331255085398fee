# SPDX-License-Identifier: Apache-2.0
"""JAX on the device: `warpwright run python3 tests/python/trial/jax_steps.py`."""
import jax
import jax.numpy as jnp
import numpy as np
from steps import close, main, step


@step
def device():
    assert jax.devices()[0].platform == "gpu", jax.devices()


@step
def arithmetic():
    x = np.arange(12, dtype=np.float32)
    close(np.asarray(jax.jit(lambda x: jnp.sin(x) * 2 + x.sum())(x)), np.sin(x) * 2 + x.sum(), 1e-4)


@step
def product():
    x = np.random.default_rng(1).random((16, 8), dtype=np.float32)
    close(np.asarray(jnp.asarray(x).T @ jnp.asarray(x)), x.T @ x, 1e-3)


@step
def gradient():
    close(np.asarray(jax.grad(lambda x: (x ** 3).sum())(jnp.arange(4.0))), [0, 3, 12, 27])


main()
