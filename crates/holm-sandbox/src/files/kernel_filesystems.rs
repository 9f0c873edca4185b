//! Recognises file systems that hold no files, such as those through which the kernel reports about
//! itself and takes commands.

use std::os::fd::AsFd;

use rustix::io::Errno;

/// Whether a handle lies in such a file system.
#[cfg(target_os = "linux")]
pub(super) fn shows(handle: impl AsFd) -> Result<bool, Errno> {
    Ok(KERNEL.contains(&rustix::fs::fstatfs(handle)?.f_type))
}

/// Other systems have no such file systems.
#[cfg(not(target_os = "linux"))]
pub(super) fn shows(_: impl AsFd) -> Result<bool, Errno> {
    Ok(false)
}

/// Their numbers, from `linux/magic.h`.
#[cfg(target_os = "linux")]
const KERNEL: &[rustix::fs::FsWord] = &[
    0x0000_9fa0, // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0x6265_6570, // configfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0xcafe_4a11, // bpf
    0x4249_4e4d, // binfmt_misc
    0xde5e_81e4, // efivarfs
    0x6165_676c, // pstore
    0xf97c_ff8c, // selinux
    0x4341_5d53, // smack
    0x6e73_6673, // nsfs
    0x1980_0202, // mqueue
    0x0765_5821, // resctrl
    0x6573_5543, // fusectl
    0x0000_1cd1, // devpts
];
