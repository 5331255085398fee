#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wild.py COMPILER SOURCE [NAME [SHARE [MIXED]]]: calls every function of the drop-in libraries, or those whose name begins with NAME, under `warpwright run`,
with handles that are NULL, destroyed or another library's, NULL where memory is asked for, sizes that are negative or beyond memory, and MIXED
times with any of these; with SHARE, all but the handles is for one function in SHARE, since those of other types and widths beside it are the same
code, and a child for each call that leaves the device with an error is what takes the time.  The answer must be a status: a signal, the end of the process, or no answer in SECONDS fails, and so does success with
a bad handle.

The functions' parameters come from their definitions, as the preprocessor leaves them.  Functions are called in a child process, in a new one
after a call that left the device with an error; a child says when it is through, since a library may end a process with code 0.  What each
child would load is loaded before, the debug information of the caller's line above all.  Memory is HOST bytes of zeros, DEVICE bytes, or the last eight of these; other wild pointers to memory
are not tried: nobody could tell."""
import ctypes
import gc
import glob
import mmap
import os
import random
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "calls"))
from signatures import split  # noqa: E402

COMPILER, SOURCE = sys.argv[1:3]
PREFIX = sys.argv[3] if len(sys.argv) > 3 else ""
SHARE = int(sys.argv[4]) if len(sys.argv) > 4 else 1
MIXED = int(sys.argv[5]) if len(sys.argv) > 5 else 8
SECONDS, HOST, DEVICE = 20, 1 << 20, 1 << 16
THROUGH = "through"
# folder of sources, library, what makes a handle, and what destroys it
LIBRARIES = [("cublas", "libcublas.so.13", "cublasCreate_v2", "cublasDestroy_v2"), ("cublaslt", "libcublasLt.so.13", "cublasLtCreate", "cublasLtDestroy"),
             ("cusolver", "libcusolver.so.12", "cusolverDnCreate", "cusolverDnDestroy"), ("cusolvermg", "libcusolverMg.so.12", "cusolverMgCreate", "cusolverMgDestroy"), ("cusparse", "libcusparse.so.12", "cusparseCreate", "cusparseDestroy"),
             ("cufft", "libcufft.so.12", "cufftCreate", "cufftDestroy"), ("curand", "libcurand.so.10", "curandCreateGenerator", "curandDestroyGenerator"),
             ("nccl", "libnccl.so.2", None, None), ("nvml", "libnvidia-ml.so.1", None, None)]
DEFINITION = re.compile(r"(?<=[\n;}])\s*((?:[A-Za-z_][\w ]*?[ *]+))((?:cublas|cusolver|cusparse|cufft|curand|nccl|nvml)\w+)\(((?:[^(){};]|\([^()]*\))*)\)\s*\{")


class Complex(ctypes.Structure):
    _fields_ = [("re", ctypes.c_float), ("im", ctypes.c_float)]


class Double(ctypes.Structure):
    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


class Id(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


WHOLE = {"int": ctypes.c_int32, "unsigned": ctypes.c_uint32, "size_t": ctypes.c_uint64, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
         "long long": ctypes.c_int64, "unsigned long long": ctypes.c_uint64, "signed char": ctypes.c_int8}
REAL = {"float": ctypes.c_float, "double": ctypes.c_double}
STRUCT = {"ComplexFloat": Complex, "Number": Double, "UniqueId": Id}


# What the host writes a result to: never an object, whose memory it would break.
RESULTS = ("to", "result", "param", "d1", "d2", "x1", "y1")


def kind_of(function, param):
    if re.search(r"[*(\[]", param):
        name = re.findall(r"\w+", param)[-1]
        written = name in RESULTS or name == "out" or ("rotg" in function.lower() and name not in HANDLE)
        return "object" if re.fullmatch(r"(const )?void ?\* ?\w+", param) and not written else "memory", name
    type_, name = param.replace("const ", "").rsplit(" ", 1)
    if type_ not in {**WHOLE, **REAL, **STRUCT}:
        sys.exit(f"wild.py: no kind for the parameter '{param}'")
    return type_, name


def functions(folder):
    """name -> (kind, name) of its parameters."""
    found = {}
    for path in sorted(glob.glob(f"{SOURCE}/src/cuda/libraries/{folder}/*.c")):
        text = subprocess.run([COMPILER, "-E", "-P", "-D_GNU_SOURCE", f"-I{SOURCE}/src", f"-I{SOURCE}/include", path], check=True, capture_output=True,
                              text=True).stdout
        for result, name, params in DEFINITION.findall("\n" + text):
            if "static" not in result:
                found[name] = [kind_of(name, p) for p in split(params)]
    return found


class Room:
    """What arguments may be, in a child."""

    def __init__(self, library, cuda, create, destroy, objects):
        self.pages = mmap.mmap(-1, HOST, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # zeros that cost nothing until somebody writes
        self.host = ctypes.c_char.from_buffer(self.pages)
        self.cuda = cuda
        device = ctypes.c_void_p()
        if cuda.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(DEVICE)) or cuda.cudaMemset(device, 0, ctypes.c_size_t(DEVICE)):
            os._exit(4)
        self.device, at = device.value, ctypes.addressof(self.host)
        self.good = self.make(library, create) if create else at
        stale = self.make(library, create) if create else 0
        if self.good is None or stale is None:
            os._exit(4)
        self.numbers = create == "cufftCreate"
        other = self.make(ctypes.CDLL("libcusparse.so.12"), "cusparseCreate") if create != "cusparseCreate" else self.make(ctypes.CDLL("libcublas.so.13"), "cublasCreate_v2")
        self.bad = [stale, 1 << 20, -1, 1 << 30] if self.numbers else [0, stale or other, other, at]
        self.memory = [self.device, at, 0, self.device + DEVICE - 8]
        self.object = self.memory + ([] if self.numbers else [self.good, stale]) + [other, *(self.make(library, name) for name in objects)]
        if create:  # last, so that nothing that was made since lies there
            getattr(library, destroy)(ctypes.c_int(stale) if self.numbers else ctypes.c_void_p(stale))

    def close(self):
        self.cuda.cudaFree(ctypes.c_void_p(self.device))

    @staticmethod
    def make(library, name):
        out = ctypes.c_uint64(0)
        args = [ctypes.byref(out), ctypes.c_int(100)] if name == "curandCreateGenerator" else [ctypes.byref(out)]
        return out.value if getattr(library, name)(*args) == 0 else None


def value(kind, room, choice, pick):
    """choice 0: plain; then extremes; None: any."""
    if kind in ("object", "memory"):
        all_ = room.object if kind == "object" else room.memory
        return ctypes.c_void_p(all_[choice % len(all_)] if choice is not None else pick.choice(all_))
    if kind in WHOLE:
        type_ = WHOLE[kind]
        most = (1 << (8 * ctypes.sizeof(type_) - 1)) - 1
        all_ = [1, 0, -1, most, -most - 1, 2, 16, 100, 1 << 20]
        return type_(all_[choice] if choice is not None else pick.choice(all_))
    if kind in REAL:
        return REAL[kind]([1.0, 0.0, -1.0, float("nan"), float("inf")][choice if choice is not None else pick.randrange(5)])
    return STRUCT[kind]()


NULL_IS_FINE = ("ncclCommAbort", "ncclCommDestroy", "cusparseDestroy")
ANY_HANDLE_IS_FINE = ("cublasGetVersion_v2",)
HANDLE = ("h", "handle", "plan", "generator", "comm")


def takes_handle(name, kinds):
    return bool(kinds) and kinds[0][1] in HANDLE and kinds[0][0] in ("object", "int") and not re.search("Create|Init_internal", name) and name not in ANY_HANDLE_IS_FINE


def cases(name, kinds, pick, whole):
    """For each call: a choice for each parameter.  Not whole: the handles, and what is plain."""
    n = len(kinds)
    for handle in range(name in NULL_IS_FINE, 4):
        yield [("handle", handle)] + [0] * (n - 1)
    for plain in (0, 1, 2) if whole else (0,):
        yield ["good"] + [plain] * (n - 1)
    for at in range(1, n):
        for extreme in range(1, 5) if whole else ():
            yield ["good"] + [0] * (at - 1) + [extreme] + [0] * (n - at - 1)
    for _ in range(MIXED if whole else 0):
        yield [pick.choice(["good", "good", "good", ("handle", pick.randrange(1, 4)), None])] + [pick.choice([None, 0]) for _ in range(n - 1)]


def arguments(name, kinds, choices, room, pick):
    for i, ((kind, _), c) in enumerate(zip(kinds, choices)):
        if i == 0 and takes_handle(name, kinds) and c is not None:
            yield (ctypes.c_int if kind == "int" else ctypes.c_void_p)(room.good if c == "good" else room.bad[c[1]])
        else:
            yield value(kind, room, 0 if isinstance(c, (tuple, str)) else c, pick)


def call_all(function, kinds, start, whole, make, tell):
    """False: the device is left with an error, for as long as the process lives."""
    room = make()
    pick = random.Random(function.__name__)
    for at, choices in enumerate(cases(function.__name__, kinds, pick, whole)):
        args = list(arguments(function.__name__, kinds, choices, room, pick))
        if at < start:
            continue
        tell(f"{function.__name__} {at} {' '.join(str(getattr(a, 'value', '')) for a in args)}")
        if function(*args) == 0 and takes_handle(function.__name__, kinds) and isinstance(choices[0], tuple):
            tell("success with a bad handle")
            os._exit(71)
        if room.cuda.cudaStreamSynchronize(None) != 0:
            return False
    room.close()
    return True


def child(library, known, names, start, out, make):
    """Calls from case `start` of the first function on; tells where it is."""
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    for name in names:
        signal.alarm(SECONDS)
        function = getattr(library, name)
        function.restype = ctypes.c_int
        if not call_all(function, known[name], start, sorted(known).index(name) % SHARE == 0, make, lambda text: os.write(out, text.encode() + b"\n")):
            os._exit(70)
        start = 0
    os.write(out, THROUGH.encode() + b"\n")
    os._exit(0)


def prepare(library, known):
    """What each child would do anew: loads what Room has, and looks up the caller's line, by a call that fails before it asks for a device.
    What Python has made by now is not for its collector, which would write to the pages that are shared."""
    for name in "libcusparse.so.12", "libcublas.so.13":
        ctypes.CDLL(name)
    for name in [f for f in sorted(known) if takes_handle(f, known[f]) and f not in NULL_IS_FINE][:1]:
        zeros = [ctypes.c_int(-1) if at == 0 and kind == "int" else STRUCT[kind]() if kind in STRUCT else {**WHOLE, **REAL}.get(kind, ctypes.c_void_p)(0)
                 for at, (kind, _) in enumerate(known[name])]
        getattr(library, name)(*zeros)
    gc.disable()
    gc.freeze()


def run(library, known, make):
    """How many functions answered badly."""
    names, start, bad = sorted(known), 0, 0
    while names:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                child(library, known, names, start, write, make)
            finally:
                os._exit(5)
        os.close(write)
        with os.fdopen(read) as f:
            said = f.read().splitlines()
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code == 0 and said[-1:] == [THROUGH]:
            break
        place = next((line for line in reversed(said) if line.startswith(tuple(names))), names[0] + " 0")
        name, at = place.split()[:2]
        names, start = names[names.index(name):], int(at) + 1
        if code != 70:
            print(f"FAIL  {'no answer' if code == -signal.SIGALRM else f'ends with {code}'}: {said[-2:]}", flush=True)
            names, start, bad = names[1:], 0, bad + 1
    return bad


def main():
    bad = count = 0
    cuda = ctypes.CDLL("libcudart.so.13")
    for folder, name, create, destroy in LIBRARIES:
        if not folder.startswith(PREFIX.lower()[:len(folder)]):
            continue
        known = functions(folder)
        library = ctypes.CDLL(name)
        objects = [f for f, k in known.items() if hasattr(library, f) and re.search("Create", f) and [kind for kind, _ in k] == ["memory"] and f != create]
        known = {f: k for f, k in known.items() if hasattr(library, f) and f.startswith(PREFIX)}
        prepare(library, known)
        bad += run(library, known, lambda: Room(library, cuda, create, destroy, objects))
        count += len(known)
        print(f"ok    {folder}: {len(known)} functions", flush=True)
    print(f"{count} functions, {bad} bad")
    sys.exit(bad != 0)


main()
