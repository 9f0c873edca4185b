//! Other processes of the same user, where a job shares them with the system.

use std::process::{Child, Stdio};

use holm_jail::{JailEngine, JailStrength};

use crate::cell::{Cell, WAYS, Way, as_user};

/// Tries to change another process, a line each: what was tried, and whether it worked.
const SCRIPT: &str = r#"
import ctypes, os, resource, signal, sys
libc = ctypes.CDLL(None, use_errno=True)
victim = int(sys.argv[1])
numbers = {"x86_64": (251, 314, 256, 279), "aarch64": (30, 274, 238, 239)}[os.uname().machine]
ioprio, attr, migrate, move = numbers
def tried(what, call):
    try: worked = call() not in (-1, None)
    except OSError: worked = False
    print(what, "worked" if worked else "refused")
done = lambda call: (call(), 0)[1]
word = ctypes.c_ulong
tried("signal", lambda: done(lambda: os.kill(victim, 0)))
tried("limit", lambda: done(lambda: resource.prlimit(victim, resource.RLIMIT_CPU, (1, 1))))
tried("priority", lambda: done(lambda: os.setpriority(os.PRIO_PROCESS, victim, 19)))
tried("priority of all", lambda: done(lambda: os.setpriority(os.PRIO_USER, 0, 19)))
tried("processors", lambda: done(lambda: os.sched_setaffinity(victim, {0})))
tried("scheduler", lambda: done(lambda: os.sched_setscheduler(victim, os.SCHED_IDLE, os.sched_param(0))))
tried("parameters", lambda: done(lambda: os.sched_setparam(victim, os.sched_param(0))))
block = ctypes.create_string_buffer(bytes([48, 0, 0, 0, 5, 0, 0, 0]) + bytes(40))
tried("attributes", lambda: libc.syscall(attr, victim, block, 0))
tried("disk", lambda: libc.syscall(ioprio, 1, victim, 3 << 13))
tried("disk of all", lambda: libc.syscall(ioprio, 3, 0, 3 << 13))
nodes = word(1)
tried("pages", lambda: libc.syscall(migrate, victim, word(2), ctypes.byref(nodes), ctypes.byref(nodes)))
"#;

/// What a job does to itself, which must work.
const OWN: &str = r#"
import os, resource
resource.setrlimit(resource.RLIMIT_CPU, (100, 100))
os.setpriority(os.PRIO_PROCESS, 0, 5)
os.sched_setaffinity(0, os.sched_getaffinity(0))
print("done")
"#;

/// A process that a job tries to change. It ends with the test, however that goes.
struct Victim(Child);

impl Victim {
    fn new() -> Self {
        Self(as_user("/bin/sleep").arg("600").env_clear().stdin(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether signals to other processes are held back: by a namespace for processes, or by a Landlock
/// that can (Linux 6.12).
fn holds_signals(way: Way) -> bool {
    match way {
        Way::Bubblewrap => true,
        Way::Landlock | Way::LandlockAlone => {
            JailEngine::landlock().unwrap().strength() == JailStrength::Scoped
        }
    }
}

#[tokio::test]
async fn limits_and_priorities_of_other_processes_are_not_changed() {
    for way in WAYS {
        let cell = Cell::new(way);
        let mut victim = Victim::new();
        let id = victim.0.id();
        let task = crate::cell::python(SCRIPT).args([id.to_string()]);
        let limits = || std::fs::read_to_string(format!("/proc/{id}/limits")).unwrap();
        let before = limits();
        let outcome = cell.run(&cell.jail(), &task).await;
        let said = crate::cell::text(&outcome.stdout.bytes);
        assert_eq!(said.lines().count(), 11, "{way:?}: {outcome:?}");
        // In a namespace for processes the user's others are out of reach, so all of them are none.
        let of_all = |line: &str| way == Way::Bubblewrap && line.contains(" of all ");
        let signal = if holds_signals(way) { "signal refused" } else { "signal worked" };
        assert_eq!(said.lines().next(), Some(signal), "{way:?}");
        for line in said.lines().skip(1).filter(|line| !of_all(line)) {
            assert!(line.ends_with(" refused"), "{way:?}: {line}");
        }
        assert_eq!(limits(), before, "{way:?}");
        assert!(victim.0.try_wait().unwrap().is_none(), "{way:?}: the victim was ended");
        assert_eq!(cell.python(OWN).await, "done\n", "{way:?}: a job may change itself");
    }
}

#[tokio::test]
async fn no_shared_memory_stays_behind_or_is_shared() {
    const SCRIPT: &str = r#"
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
made = libc.shmget(0x484f4c4d, ctypes.c_size_t(4096), 0o1600)
queue = libc.msgget(0x484f4c4d, 0o1600)
locks = libc.semget(0x484f4c4d, 1, 0o1600)
posix = ctypes.CDLL("librt.so.1").mq_open(b"/holm-jail-test", 0o102, 0o600, None)
print(*("made" if n >= 0 else "refused" for n in [made, locks, queue]), "made" if posix >= 0 else "refused")
"#;
    for way in WAYS {
        let cell = Cell::new(way);
        let said = cell.python(SCRIPT).await;
        let mut said = said.split_whitespace();
        let expect = if way == Way::LandlockAlone { "refused" } else { "made" };
        assert_eq!([said.next(), said.next()], [Some(expect); 2], "{way:?}");
        assert_eq!(said.next(), Some("refused"), "{way:?}: queues hold memory that is not counted");
        if way == Way::LandlockAlone {
            assert_eq!(said.next(), Some("refused"), "{way:?}");
        }
        for kind in ["shm", "msg", "sem"] {
            let there = std::fs::read_to_string(format!("/proc/sysvipc/{kind}")).unwrap();
            let key = 0x484f_4c4d.to_string();
            let stays = there.lines().any(|line| line.split_whitespace().next() == Some(&key));
            assert!(!stays, "{way:?}: {kind} stays: {there}");
        }
    }
}

#[tokio::test]
async fn no_watch_tells_the_names_of_files_outside() {
    for way in WAYS {
        let cell = Cell::new(way);
        let script = format!(
            "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nfd = libc.inotify_init()\n\
             print(libc.inotify_add_watch(fd, b'{}', 0x100))\n",
            cell.path("out").display()
        );
        assert_eq!(cell.python(&script).await, "-1\n", "{way:?}");
    }
}
