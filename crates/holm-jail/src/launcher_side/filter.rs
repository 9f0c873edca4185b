//! The seccomp filter: refuses system calls that no confined program needs, and those that get
//! around the other defences.
//!
//! It sees numbers and never memory, so files are confined elsewhere (`launcher_side/rules.rs`,
//! `launcher_side/bubblewrap.rs`). A call whose flags lie in memory must be refused as unknown, not
//! inspected. Which calls are refused depends on what else confines the job: without mounts or
//! namespaces the filter refuses more. The filter is installed in `launcher_side/child.rs`, or by
//! bubblewrap.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition as Condition,
    SeccompFilter, SeccompRule as Rule, sock_filter,
};

use crate::jail::JailNetwork;

/// Refused as if the user were not allowed to.
const REFUSED: &[i64] = &[
    // other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // other views of the system
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    // files by another name than their path
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    // the kernel itself
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    // keys are shared by all processes of a user
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
];

/// Refused as if the kernel did not have them, so that libraries take their older way.
const UNKNOWN: &[i64] = &[
    // Its flags lie in memory, where no filter sees them.
    libc::SYS_clone3,
    // A second set of system calls, sockets among them, that no filter sees.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Memory that is in no folder and, where no process has mapped it, in no process: nothing
    // counts it. Libraries take a file in /dev/shm or /tmp instead.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
];

/// Changes of modes, owners and attributes, which Landlock does not see. Refused if no
/// mount protects against them.
const METADATA: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    // fchmodat2, setxattrat, removexattrat: newer forms of these
    452,
    463,
    466,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
];

/// Calls that libraries do without, refused if the job shares the system's processes and
/// files with all programs.
const UNKNOWN_OUTSIDE: &[i64] = &[
    // A watch needs no right to read: it shows the names of files that come and go anywhere.
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
];

/// Memory, queues and locks that outlive a job and that all programs of a user share. Refused if
/// the job has none of its own.
const SHARED_MEMORY: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// The largest piece of shared memory. It may be resident in no process, and a namespace has 4,096
/// of them at most: 64 MiB.
const MOST_SHARED: u64 = 16 << 10;
/// The most locks that are made at once; a namespace has 32,000 such sets at most.
const MOST_LOCKS: u64 = 16;

/// The confinement of a job beside the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfinementKind {
    /// Namespaces for files, processes and IPC.
    Namespaces,
    /// Landlock with namespaces for files and IPC.
    Mounts,
    /// Landlock alone, without any namespaces.
    Rules,
}

/// Requests that type into another program's terminal: `TIOCSTI`, whose type differs from one C
/// library to the next, and `TIOCLINUX`.
const TERMINAL: [u64; 2] = [0x5412, 0x541c];

const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Both filters, to be installed one after the other. Every call must pass both.
pub(super) fn programs(network: JailNetwork, walls: ConfinementKind) -> Option<[BpfProgram; 2]> {
    let whole = |call: &i64| (*call, Vec::new());
    let mut calls = refused(network)?;
    let mut unknown: BTreeMap<i64, Vec<Rule>> = UNKNOWN.iter().map(whole).collect();
    if walls != ConfinementKind::Namespaces {
        calls.extend(others()?);
        unknown.extend(UNKNOWN_OUTSIDE.iter().map(whole));
    }
    if walls == ConfinementKind::Rules {
        calls.extend(METADATA.iter().chain(SHARED_MEMORY).map(whole));
    }
    let refused = compile(calls, libc::EPERM)?;
    Some([refused, without_x32(compile(unknown, libc::ENOSYS)?)])
}

/// The filters as bubblewrap reads them: each instruction as the kernel has it.
pub(super) fn as_bytes(program: &[sock_filter]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(program.len() * 8);
    for one in program {
        bytes.extend_from_slice(&one.code.to_ne_bytes());
        bytes.extend_from_slice(&[one.jt, one.jf]);
        bytes.extend_from_slice(&one.k.to_ne_bytes());
    }
    bytes
}

fn compile(rules: BTreeMap<i64, Vec<Rule>>, errno: i32) -> Option<BpfProgram> {
    let arch = std::env::consts::ARCH.try_into().ok()?;
    let errno = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, errno, arch).ok()?.try_into().ok()
}

/// Changes of other processes of the same user: their limits, priorities, processors and memory.
/// Landlock handles signals. The caller itself has the number 0; a thread that names another one of
/// its own process is refused too.
fn others() -> Option<BTreeMap<i64, Vec<Rule>>> {
    const EVERYBODY: [(i64, u64); 2] = [(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)];
    let other = |at: u8| rule(&[(at, Len::Dword, Op::Ne, 0)]);
    let mut rules = BTreeMap::new();
    for call in [
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
        libc::SYS_migrate_pages,
        libc::SYS_move_pages,
    ] {
        rules.insert(call, vec![other(0)?]);
    }
    // Limits may be read, which reveals nothing.
    rules.insert(libc::SYS_prlimit64, vec![rule(&[(0, Len::Dword, Op::Ne, 0), (2, Len::Qword, Op::Ne, 0)])?]);
    for (call, everybody) in EVERYBODY {
        rules.insert(call, vec![other(1)?, rule(&[(0, Len::Dword, Op::Eq, everybody)])?]);
    }
    Some(rules)
}

fn refused(network: JailNetwork) -> Option<BTreeMap<i64, Vec<Rule>>> {
    let mut rules: BTreeMap<i64, Vec<Rule>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let namespace = |flag: &i32| {
        let flag = u64::from(flag.unsigned_abs());
        rule(&[(0, Len::Qword, Op::MaskedEq(flag), flag)])
    };
    for call in [libc::SYS_clone, libc::SYS_unshare] {
        rules.insert(call, NAMESPACES.iter().map(namespace).collect::<Option<_>>()?);
    }
    let typing = |command: u64| rule(&[(1, Len::Dword, Op::Eq, command)]);
    rules.insert(libc::SYS_ioctl, TERMINAL.iter().map(|command| typing(*command)).collect::<Option<_>>()?);
    let other_than = |families: &[i32]| {
        let unlike = families.iter().map(|family| (0, Len::Dword, Op::Ne, u64::from(family.unsigned_abs())));
        rule(&unlike.collect::<Vec<_>>())
    };
    rules.insert(libc::SYS_shmget, vec![rule(&[(1, Len::Qword, Op::Gt, MOST_SHARED)])?]);
    rules.insert(libc::SYS_semget, vec![rule(&[(1, Len::Dword, Op::Gt, MOST_LOCKS)])?]);
    // The content of queues belongs to no process, and no argument shows its size.
    rules.insert(libc::SYS_msgget, Vec::new());
    // Local sockets by path lead to other programs' services, which no file rule sees; a pair leads
    // nowhere.
    rules.insert(libc::SYS_socketpair, vec![other_than(&[libc::AF_UNIX])?]);
    rules.insert(
        libc::SYS_socket,
        match network {
            JailNetwork::None => Vec::new(),
            JailNetwork::Proxied | JailNetwork::Open => {
                let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
                vec![other_than(&families)?, raw(libc::AF_INET)?, raw(libc::AF_INET6)?]
            }
        },
    );
    Some(rules)
}

/// A socket that writes packets itself; the bits above the kind are flags.
fn raw(family: i32) -> Option<Rule> {
    const KIND: u64 = 0xf;
    let (family, raw) = (u64::from(family.unsigned_abs()), u64::from(libc::SOCK_RAW.unsigned_abs()));
    rule(&[(0, Len::Dword, Op::Eq, family), (1, Len::Dword, Op::MaskedEq(KIND), raw)])
}

fn rule(conditions: &[(u8, Len, Op, u64)]) -> Option<Rule> {
    let conditions = conditions
        .iter()
        .map(|(at, len, op, value)| Condition::new(*at, len.clone(), op.clone(), *value).ok());
    Rule::new(conditions.collect::<Option<_>>()?).ok()
}

/// Puts a check in front: on x86-64 every call has a second number (with bit 30), under which no
/// rule would see it.
fn without_x32(mut program: BpfProgram) -> BpfProgram {
    if cfg!(target_arch = "x86_64") {
        let errno = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
        let step =
            |code: u32, jt, jf, k| sock_filter { code: u16::try_from(code).unwrap_or_default(), jt, jf, k };
        let check = [
            // the number of the call, which comes first in what a filter sees
            step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
            step(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, 0x4000_0000),
            step(libc::BPF_RET | libc::BPF_K, 0, 0, errno),
        ];
        program.splice(0..0, check);
    }
    program
}
