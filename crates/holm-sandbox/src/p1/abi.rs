//! Numbers and layouts of WASI 0.1, and the guest's memory read with bounds.
//!
//! Every address comes from a guest and may be wrong: access goes through [`GuestMemory`] only.
//! Error numbers are those of the standard, and an unknown error of the system becomes a general
//! one. The functions are in the other files of `p1/`.

use crate::guest_abort::GuestAbort;

/// An error number of WASI 0.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WasiErrno(pub(super) u16);

impl WasiErrno {
    pub(super) const BADF: Self = Self(8);
    pub(super) const FAULT: Self = Self(21);
    pub(super) const FBIG: Self = Self(22);
    pub(super) const ILSEQ: Self = Self(25);
    pub(super) const INVAL: Self = Self(28);
    pub(super) const IO: Self = Self(29);
    pub(super) const ISDIR: Self = Self(31);
    pub(super) const MFILE: Self = Self(33);
    pub(super) const NAMETOOLONG: Self = Self(37);
    pub(super) const NOTDIR: Self = Self(54);
    pub(super) const NOTSOCK: Self = Self(57);
    pub(super) const NOTSUP: Self = Self(58);
    pub(super) const OVERFLOW: Self = Self(61);
    pub(super) const SPIPE: Self = Self(70);
}

/// Every error of the system that a file operation here can meet, and its number in WASI 0.1.
const ERRORS: &[(rustix::io::Errno, u16)] = &[
    (rustix::io::Errno::ACCESS, 2),
    (rustix::io::Errno::AGAIN, 6),
    (rustix::io::Errno::BADF, 8),
    (rustix::io::Errno::BUSY, 10),
    (rustix::io::Errno::DQUOT, 19),
    (rustix::io::Errno::EXIST, 20),
    (rustix::io::Errno::FBIG, 22),
    (rustix::io::Errno::ILSEQ, 25),
    (rustix::io::Errno::INTR, 27),
    (rustix::io::Errno::INVAL, 28),
    (rustix::io::Errno::ISDIR, 31),
    (rustix::io::Errno::LOOP, 32),
    (rustix::io::Errno::MFILE, 33),
    (rustix::io::Errno::MLINK, 34),
    (rustix::io::Errno::NAMETOOLONG, 37),
    (rustix::io::Errno::NFILE, 41),
    (rustix::io::Errno::NOENT, 44),
    (rustix::io::Errno::NOMEM, 48),
    (rustix::io::Errno::NOSPC, 51),
    (rustix::io::Errno::NOTDIR, 54),
    (rustix::io::Errno::NOTEMPTY, 55),
    (rustix::io::Errno::NOTSUP, 58),
    (rustix::io::Errno::NXIO, 60),
    (rustix::io::Errno::OVERFLOW, 61),
    (rustix::io::Errno::PERM, 63),
    (rustix::io::Errno::PIPE, 64),
    (rustix::io::Errno::ROFS, 69),
    (rustix::io::Errno::SPIPE, 70),
    (rustix::io::Errno::TXTBSY, 74),
    (rustix::io::Errno::XDEV, 75),
];

impl From<rustix::io::Errno> for WasiErrno {
    fn from(error: rustix::io::Errno) -> Self {
        ERRORS.iter().find(|(known, _)| *known == error).map_or(Self::IO, |(_, number)| Self(*number))
    }
}

/// The early end of a host function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostCallError {
    /// The function returns this error number to the guest.
    Errno(WasiErrno),
    /// The guest is not asked.
    Cut(GuestAbort),
}

impl From<WasiErrno> for HostCallError {
    fn from(errno: WasiErrno) -> Self {
        Self::Errno(errno)
    }
}

impl From<rustix::io::Errno> for HostCallError {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::Errno(errno.into())
    }
}

impl From<std::io::Error> for HostCallError {
    fn from(error: std::io::Error) -> Self {
        let errno = rustix::io::Errno::from_io_error(&error);
        Self::Errno(errno.map_or(WasiErrno::IO, WasiErrno::from))
    }
}

impl From<GuestAbort> for HostCallError {
    fn from(cut: GuestAbort) -> Self {
        Self::Cut(cut)
    }
}

/// The guest's memory for the time of one host function. Every access is bounded; outside is an
/// error, never a panic.
pub(super) struct GuestMemory<'a>(&'a mut [u8]);

impl<'a> GuestMemory<'a> {
    pub(super) fn new(bytes: &'a mut [u8]) -> Self {
        Self(bytes)
    }

    /// A range to read from.
    pub(super) fn bytes(&self, at: u32, len: u32) -> Result<&[u8], WasiErrno> {
        let (at, len) = (at as usize, len as usize);
        self.0.get(at..).and_then(|rest| rest.get(..len)).ok_or(WasiErrno::FAULT)
    }

    /// A range to write to.
    pub(super) fn bytes_mut(&mut self, at: u32, len: u32) -> Result<&mut [u8], WasiErrno> {
        let (at, len) = (at as usize, len as usize);
        self.0.get_mut(at..).and_then(|rest| rest.get_mut(..len)).ok_or(WasiErrno::FAULT)
    }

    /// A path or name.
    pub(super) fn text(&self, at: u32, len: u32) -> Result<&str, WasiErrno> {
        if len > MAX_PATH {
            return Err(WasiErrno::NAMETOOLONG);
        }
        std::str::from_utf8(self.bytes(at, len)?).map_err(|_| WasiErrno::ILSEQ)
    }

    pub(super) fn put(&mut self, at: u32, bytes: &[u8]) -> Result<(), WasiErrno> {
        let len = u32::try_from(bytes.len()).map_err(|_| WasiErrno::OVERFLOW)?;
        self.bytes_mut(at, len)?.copy_from_slice(bytes);
        Ok(())
    }

    pub(super) fn put_u32(&mut self, at: u32, value: u32) -> Result<(), WasiErrno> {
        self.put(at, &value.to_le_bytes())
    }

    pub(super) fn put_u64(&mut self, at: u32, value: u64) -> Result<(), WasiErrno> {
        self.put(at, &value.to_le_bytes())
    }

    pub(super) fn u32(&self, at: u32) -> Result<u32, WasiErrno> {
        let bytes = self.bytes(at, 4)?.try_into().map_err(|_| WasiErrno::FAULT)?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub(super) fn u64(&self, at: u32) -> Result<u64, WasiErrno> {
        let bytes = self.bytes(at, 8)?.try_into().map_err(|_| WasiErrno::FAULT)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// The parts of a scattered buffer: address and length.
    pub(super) fn parts(&self, at: u32, count: u32) -> Result<Vec<(u32, u32)>, WasiErrno> {
        if count > MAX_PARTS {
            return Err(WasiErrno::INVAL);
        }
        (0..count)
            .map(|index| {
                let at = at.checked_add(index * 8).ok_or(WasiErrno::FAULT)?;
                Ok((self.u32(at)?, self.u32(at.checked_add(4).ok_or(WasiErrno::FAULT)?)?))
            })
            .collect()
    }
}

/// The longest path: Linux's own limit.
const MAX_PATH: u32 = 4096;
/// The most parts of a scattered buffer: Linux's own limit.
const MAX_PARTS: u32 = 1024;

/// File types, as WASI 0.1 numbers them.
pub(super) mod filetype {
    pub(crate) const UNKNOWN: u8 = 0;
    pub(crate) const CHARACTER_DEVICE: u8 = 2;
    pub(crate) const DIRECTORY: u8 = 3;
    pub(crate) const REGULAR_FILE: u8 = 4;
    pub(crate) const SYMBOLIC_LINK: u8 = 7;
}

/// Rights that matter here; all others follow from the policy.
pub(super) mod rights {
    pub(crate) const FD_READ: u64 = 1 << 1;
    pub(crate) const FD_WRITE: u64 = 1 << 6;
    /// The rights that every handle reports.
    pub(crate) const ALL: u64 = (1 << 30) - 1;
}

/// The flags for opening a path.
pub(super) mod oflags {
    pub(crate) const CREATE: i32 = 1;
    pub(crate) const DIRECTORY: i32 = 2;
    pub(crate) const EXCLUSIVE: i32 = 4;
    pub(crate) const TRUNCATE: i32 = 8;
}

/// The flags of a handle.
pub(super) mod fdflags {
    pub(crate) const APPEND: u16 = 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_within_its_bounds() {
        let mut bytes = vec![0; 16];
        let mut guest = GuestMemory::new(&mut bytes);
        guest.put_u32(12, 7).unwrap();
        assert_eq!(guest.u32(12), Ok(7));
        for result in [
            guest.u32(13).map(|_| ()),
            guest.u64(9).map(|_| ()),
            guest.bytes(16, 1).map(|_| ()),
            guest.bytes(u32::MAX, u32::MAX).map(|_| ()),
            guest.put_u32(u32::MAX, 0),
            guest.parts(u32::MAX - 4, 2).map(|_| ()),
        ] {
            assert_eq!(result, Err(WasiErrno::FAULT));
        }
        assert_eq!(guest.parts(0, u32::MAX), Err(WasiErrno::INVAL));
        assert_eq!(guest.text(0, u32::MAX), Err(WasiErrno::NAMETOOLONG));
        assert_eq!(guest.bytes(16, 0), Ok(&[][..]));
    }

    #[test]
    fn no_error_of_the_system_has_two_numbers() {
        for (index, (error, _)) in ERRORS.iter().enumerate() {
            assert_eq!(ERRORS.iter().position(|(other, _)| other == error), Some(index));
        }
    }
}
