# SPDX-License-Identifier: Apache-2.0
"""The build backend of pyproject.toml (PEP 517): compiles with CMake, installs into a folder, and packs that into a wheel.

It stands on Python's own library alone, so pip needs no network for it.  What is in the wheel: the module, and beside it the prefix with
bin/ and lib/, with the libraries that ours need and that a system may lack.  Nothing of it depends on Python's version: the tag is py3-none.

Settings: build=FOLDER takes an existing build (pip install --config-settings build=build .)."""
import base64
import email.message
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = "warpwright"
# What every Linux has: the C library's parts and the loader.
SYSTEM = re.compile(r"^(ld-linux|libc\.|libm\.|libdl\.|libpthread\.|librt\.|libgcc_s\.|linux-vdso)")
KEPT = ("bin/warpwright", "lib")  # of the prefix; lib without what only compilers want
UNWANTED = re.compile(r"(\.a|/pkgconfig/.*|/cmake/.*|/python3.*)$")


def _version():
    text = (ROOT / "include/warpwright/version.h").read_text()
    return re.search(r'WW_VERSION_STRING "([^"]+)"', text).group(1)


def _metadata():
    m = email.message.Message()
    m["Metadata-Version"] = "2.1"
    m["Name"] = NAME
    m["Version"] = _version()
    m["Summary"] = re.search(r'^description = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.M).group(1)
    m["License"] = "Apache-2.0"
    m["Requires-Python"] = ">=3.9"
    m["Provides-Extra"] = "arrays"
    m["Requires-Dist"] = 'numpy; extra == "arrays"'
    m["Description-Content-Type"] = "text/markdown"
    m.set_payload((ROOT / "README.md").read_text("utf-8"))
    return m.as_string()


def _prefix(settings, where):
    """Builds, and installs under `where`."""
    build = pathlib.Path((settings or {}).get("build", ROOT / "build-wheel"))
    build = build if build.is_absolute() else ROOT / build
    jobs = str(os.cpu_count() or 1)
    if not (build / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_LIBDIR=lib"], check=True)
    if not settings or "build" not in settings:
        subprocess.run(["cmake", "--build", str(build), "--parallel", jobs], check=True)
    subprocess.run(["cmake", "--install", str(build), "--prefix", str(where), "--strip"], check=True, stdout=subprocess.DEVNULL)


def _needed(binary):
    """Paths of the libraries that the loader gives to it, besides the system's."""
    said = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\s*(\S+) => (/\S+)", said, re.M)
    return [(name, path) for name, path in found if not SYSTEM.match(name) and not name.startswith("libwarpwright")]


def _files(prefix):
    """(path in the wheel, path here) of everything; links become files of their SONAME."""
    out = {}
    for path in sorted((ROOT / "python" / NAME).rglob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            out[f"{NAME}/{path.relative_to(ROOT / 'python' / NAME)}"] = path
    for top in KEPT:
        for path in sorted([prefix / top] if (prefix / top).is_file() else (prefix / top).rglob("*")):
            inside = str(path.relative_to(prefix))
            linked = any(p.is_symlink() and p.resolve() == path for p in path.parent.iterdir())
            bare = path.name.endswith(".so") and path.is_symlink()
            if path.is_dir() or UNWANTED.search(inside) or linked or bare:
                continue
            out[f"{NAME}/{inside}"] = path
            if path.suffix in ("", ".so") or ".so." in path.name:
                out.update({f"{NAME}/lib/{name}": pathlib.Path(where).resolve() for name, where in _needed(path)})
    return out


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class _Wheel:
    def __init__(self, path):
        self.zip, self.records, self.info = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED), [], f"{NAME}-{_version()}.dist-info"

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        self.records.append(f"{name},{_digest(data)},{len(data)}")

    def close(self):
        self.records.append(f"{self.info}/RECORD,,")
        self.zip.writestr(zipfile.ZipInfo(f"{self.info}/RECORD", (2020, 1, 1, 0, 0, 0)), "\n".join(self.records) + "\n")
        self.zip.close()


def _entries():
    return {"METADATA": _metadata(), "entry_points.txt": f"[console_scripts]\n{NAME} = {NAME}.__main__:main\n",
            "WHEEL": f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {_tag()}\n"}


def _tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{platform}"


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"{NAME}-{_version()}.dist-info"
    folder = pathlib.Path(metadata_directory) / name
    folder.mkdir()
    for file, text in _entries().items():
        (folder / file).write_text(text)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"{NAME}-{_version()}-{_tag()}.whl"
    wheel = _Wheel(os.path.join(wheel_directory, name))
    with tempfile.TemporaryDirectory() as work:
        prefix = pathlib.Path(work) / "prefix"
        _prefix(config_settings, prefix)
        for inside, path in _files(prefix).items():
            wheel.add(inside, path.read_bytes(), path.stat().st_mode & 0o777)
    for file, text in _entries().items():
        wheel.add(f"{wheel.info}/{file}", text.encode())
    wheel.add(f"{wheel.info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.close()
    return name


def build_sdist(sdist_directory, config_settings=None):
    """What git tracks, or all of the folder but builds where there is no git."""
    base = f"{NAME}-{_version()}"
    name = f"{base}.tar.gz"
    git = shutil.which("git") and subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=False)
    files = git.stdout.splitlines() if git and git.returncode == 0 else [
        str(p.relative_to(ROOT)) for p in sorted(ROOT.rglob("*")) if p.is_file() and not p.relative_to(ROOT).parts[0].startswith(("build", "."))]
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as out:
        for file in files:
            if (ROOT / file).is_file():
                out.add(ROOT / file, f"{base}/{file}")
        with tempfile.NamedTemporaryFile("w") as info:
            info.write(_metadata())
            info.flush()
            out.add(info.name, f"{base}/PKG-INFO")
    return name
