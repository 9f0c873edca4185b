//! What a child may never do, case by case.

use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::Stdio;
use std::time::Duration;

use crate::cell::{self, CANARY, Cell, WAYS, as_user, is_running, soon};
use holm_jail::{JailEnding, JailLimits, JailNetwork};

#[tokio::test]
async fn nothing_outside_the_roots_is_read() {
    const CASES: &[(&str, &str)] = &[
        ("by its path", "cat $CELL/out/secret"),
        ("by climbing out", "cat ../out/secret"),
        ("through a link", "ln -s $CELL/out/secret l; cat l"),
        ("through a linked folder", "ln -s $CELL/out d; cat d/secret"),
        ("through a link to the root", "ln -s / r; cat r$CELL/out/secret"),
        ("through its own root", "cat /proc/self/root$CELL/out/secret"),
        ("through its own folder", "cat /proc/self/cwd/../out/secret"),
        (
            "through another process",
            "for p in /proc/[0-9]*; do cat $p/root$CELL/out/secret $p/cwd$CELL/out/secret; done",
        ),
        ("by a hard link", "ln $CELL/out/secret h && cat h"),
        ("by moving it in", "mv $CELL/out/secret m; cat m"),
        ("by running it", "sh $CELL/out/secret"),
        ("as input", "cat < $CELL/out/secret"),
        ("by listing", "ls $CELL/out; find $CELL/out -name 'sec*' -exec cat {} +"),
        ("by the loader", "/lib64/ld-linux-x86-64.so.2 /usr/bin/cat $CELL/out/secret"),
    ];
    for way in WAYS {
        let cell = Cell::new(way);
        let (_, said) = cell.sh("cat $CELL/in/data").await;
        assert_eq!(said, "public", "{way:?}: what is granted is read");
        for (name, script) in CASES {
            let (_, said) = cell.sh(script).await;
            assert!(!said.contains(CANARY), "{way:?}: {name}: {said}");
        }
        assert_eq!(fs::read_to_string(cell.path("out/secret")).unwrap(), CANARY);
    }
}

#[tokio::test]
async fn nothing_outside_the_writable_roots_is_changed() {
    const CASES: &[(&str, &str)] = &[
        ("a new file", "echo x > $CELL/out/new"),
        ("a new file to read", "echo x > $CELL/in/new"),
        ("overwriting", "echo x > $CELL/in/data"),
        ("appending", "echo x >> $CELL/in/data"),
        ("truncating", "python3 -c 'import os; os.truncate(os.environ[\"CELL\"] + \"/in/data\", 0)'"),
        ("removing", "rm -rf $CELL/in/data $CELL/out"),
        ("moving away", "mv $CELL/in/data ."),
        ("moving over", "mv old $CELL/in/data"),
        ("a new folder", "mkdir $CELL/out/d $CELL/in/d"),
        ("through a link", "ln -s $CELL/in l; echo x > l/data"),
        ("through a dangling link", "ln -s $CELL/out/new l2; echo x > l2"),
        ("through its own root", "echo x > /proc/self/root$CELL/in/data"),
        ("changing the mode", "chmod 777 $CELL/in/data $CELL/out/secret $CELL/in"),
        ("changing the time", "touch -d 2001-01-01 $CELL/in/data"),
        ("a hard link out", "ln old $CELL/in/linked"),
        ("a link out", "ln -s old $CELL/in/linked"),
        ("the system", "echo x > /usr/x; echo x > /etc/x; echo x > /x; echo x > /var/tmp/x"),
        ("the shell's files", "echo x >> $HOME/.bashrc; echo x > $CELL/.bashrc"),
    ];
    let whole = |cell: &Cell| {
        let stat = |name: &str| {
            use std::os::unix::fs::MetadataExt as _;
            let data = fs::metadata(cell.path(name)).unwrap();
            (data.mode(), data.len(), data.mtime(), data.ino())
        };
        let list = |name: &str| {
            let mut names: Vec<_> =
                fs::read_dir(cell.path(name)).unwrap().flatten().map(|entry| entry.file_name()).collect();
            names.sort();
            names
        };
        (stat("in/data"), stat("in"), stat("out/secret"), list("in"), list("out"), list("."))
    };
    for way in WAYS {
        let cell = Cell::new(way);
        let before = whole(&cell);
        for (name, script) in CASES {
            // Landlock by itself does not see times, which say nothing and hide nothing.
            if way == cell::Way::LandlockAlone && *name == "changing the time" {
                continue;
            }
            let (_, said) = cell.sh(script).await;
            assert_eq!(whole(&cell), before, "{way:?}: {name}: {said}");
        }
        assert!(!fs::exists("/usr/x").unwrap() && !fs::exists("/var/tmp/x").unwrap());
        let (outcome, said) = cell.sh("echo y > old && mv old newer && cat newer").await;
        if way == cell::Way::LandlockAlone {
            // Nothing new can be made beside a protected path without mounts; the rest can be changed.
            assert_eq!(fs::read_to_string(cell.path("work/old")).unwrap(), "y\n", "{said}");
            assert!(!fs::exists(cell.path("work/newer")).unwrap(), "{said}");
        } else {
            assert_eq!((outcome.ending, said.as_str()), (JailEnding::Exited(0), "y\n"), "{way:?}");
        }
    }
}

#[tokio::test]
async fn what_git_would_run_stays_as_it_is() {
    const CASES: &[(&str, &str)] = &[
        ("a hook", "echo x > .git/hooks/pre-commit"),
        ("the configuration", "echo x >> .git/config"),
        ("by a new file moved over it", "echo x > .git/c; mv .git/c .git/config"),
        ("by removing it", "rm -rf .git/hooks; rm -f .git/config"),
        ("by moving it", "mv .git/hooks .git/h; mv .git/config .git/c"),
        ("by moving its folder", "mv .git git; mkdir .git; cp -r git/* .git; echo x > .git/config"),
        ("by a link in its place", "rm -rf .git; ln -s $CELL/in .git"),
        (
            "what is not there yet",
            "echo x > .git/config.worktree; echo x > .git/commondir; mkdir -p .git/commondir/x",
        ),
        (
            "remotes in their oldest form",
            "mkdir .git/remotes; echo x > .git/remotes/origin; mkdir .git/branches; echo x > .git/branches/b",
        ),
        (
            "by exchanging",
            "python3 -c 'import ctypes, os; ctypes.CDLL(None).renameat2(-100, b\".git\", -100, b\"old\", 2)'",
        ),
        ("its mode", "chmod 777 .git/config .git/hooks"),
    ];
    for way in WAYS {
        for git in [false, true] {
            let cell = Cell::new(way);
            let repo = cell.path("work/.git");
            for folder in [repo.clone(), repo.join("hooks"), repo.join("objects")] {
                fs::create_dir(&folder).unwrap();
            }
            fs::write(repo.join("config"), "safe").unwrap();
            let chowned =
                std::process::Command::new("chown").args(["-R", "65534:65534"]).arg(&repo).status().unwrap();
            assert!(chowned.success() || !cell::is_root());
            let jail = if git { cell.jail().write(&repo) } else { cell.jail() };
            for (name, script) in CASES {
                let outcome = cell.run(&jail, &cell::shell(script)).await;
                let said = cell::text(&outcome.stderr.bytes);
                let is = |file: &str| fs::exists(repo.join(file)).unwrap();
                assert_eq!(
                    fs::read_to_string(repo.join("config")).unwrap(),
                    "safe",
                    "{way:?}: {git}: {name}: {said}"
                );
                assert_eq!(
                    fs::read_dir(repo.join("hooks")).unwrap().count(),
                    0,
                    "{way:?}: {git}: {name}: {said}"
                );
                for missing in ["config.worktree", "commondir", "remotes", "branches"] {
                    assert!(!is(missing), "{way:?}: {git}: {name}: {missing}: {said}");
                }
                let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(repo.join("config")).unwrap());
                assert_ne!(mode & 0o777, 0o777, "{way:?}: {git}: {name}: {said}");
            }
            let outcome =
                cell.run(&jail, &cell::shell("mkdir -p .git/objects; echo x > .git/objects/o")).await;
            assert_eq!(fs::exists(repo.join("objects/o")).unwrap(), git, "{way:?}: {:?}", outcome.stderr);
        }
    }
}

#[tokio::test]
async fn a_protected_path_that_does_not_exist_is_not_there_after_a_job_that_makes_it() {
    for way in WAYS {
        let cell = Cell::new(way);
        let jail = cell.jail().protect(cell.path("work/.holm")).protect(cell.path("work/deep/agent.toml"));
        let script = "mkdir .holm; echo x > .holm/config; mkdir -p deep; echo x > deep/agent.toml; mv deep d2; \
                      mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; git init -q .";
        let outcome = cell.run(&jail, &cell::shell(script)).await;
        let left = cell.names("work");
        // The folder around a protected name is the job's own.
        let expected =
            |name: &String| ["old", "deep", "d2"].contains(&name.as_str()) || name.contains(".set-aside-");
        assert!(left.iter().all(expected), "{way:?}: {left:?} {}", cell::text(&outcome.stderr.bytes));
        assert!(!cell.path("work/deep/agent.toml").exists(), "{way:?}");
        if way != cell::Way::LandlockAlone {
            let told = outcome.appeared.iter().any(|name| name.path == cell.path("work/.holm"));
            assert!(told, "{way:?}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn a_protected_file_does_not_change_its_place_with_the_folders_around_it() {
    for way in WAYS {
        let cell = Cell::new(way);
        fs::create_dir_all(cell.path("work/a/b")).unwrap();
        fs::write(cell.path("work/a/b/agent.toml"), "safe").unwrap();
        let owned =
            std::process::Command::new("chown").args(["-R", "65534:65534"]).arg(cell.path("work/a")).status();
        assert!(owned.unwrap().success() || !cell::is_root());
        let jail = cell.jail().protect(cell.path("work/a/b/agent.toml"));
        for moved in ["a/b", "a"] {
            let script = format!("mv {moved} x; rm -rf {moved}; mkdir -p a/b; echo evil > a/b/agent.toml");
            let outcome = cell.run(&jail, &cell::shell(&script)).await;
            let found = fs::read_to_string(cell.path("work/a/b/agent.toml")).unwrap_or_default();
            assert_eq!(found, "safe", "{way:?}: {moved}: {}", cell::text(&outcome.stderr.bytes));
        }
    }
}

#[tokio::test]
async fn a_root_that_became_a_link_is_refused() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.sh("rm -f old; ln -s $CELL/out sub").await;
        std::os::unix::fs::symlink(cell.path("out"), cell.path("sub2")).unwrap();
        for name in ["sub2", "sub2/secret"] {
            for jail in [cell.jail().read(cell.path(name)), cell.jail().write(cell.path(name))] {
                let refused = cell.try_spawn(&jail, &cell::shell("cat $CELL/out/secret")).await.map(|_| ());
                assert!(
                    matches!(refused, Err(holm_jail::JailError::Start { .. })),
                    "{way:?}: {name}: {refused:?}"
                );
            }
        }
        let linked = cell.jail().protect(cell.path("work/sub2/x"));
        std::os::unix::fs::symlink(cell.path("out"), cell.path("work/sub2")).unwrap();
        let refused = cell.try_spawn(&linked, &cell::shell(":")).await.map(|_| ());
        assert!(matches!(refused, Err(holm_jail::JailError::Start { .. })), "{way:?}: {refused:?}");
    }
}

#[tokio::test]
async fn neither_environment_nor_open_files_are_inherited() {
    let _leaky = fs::File::open("/proc/self/status").unwrap();
    for way in WAYS {
        let cell = Cell::new(way);
        let (_, said) = cell.sh("env | sort; tr '\\0' '\\n' < /proc/self/environ").await;
        let names: std::collections::BTreeSet<_> =
            said.lines().filter_map(|line| line.split('=').next()).collect();
        let expected = ["CELL", "OLDPWD", "PATH", "PWD", "SHLVL", "_"];
        assert!(names.iter().all(|name| expected.contains(name)), "{way:?}: {names:?}");
        let files = cell.python("import os\nfor fd in range(3, 256):\n  try: os.fstat(fd); print('open', fd)\n  except OSError: pass").await;
        assert_eq!(files, "", "{way:?}");
        let (_, said) = cell
            .sh("cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -a holm")
            .await;
        assert!(!said.contains("CARGO"), "{way:?}: {said}");
    }
}

#[tokio::test]
async fn no_socket_is_opened_without_the_network() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    tcp.set_nonblocking(true).unwrap();
    for way in WAYS {
        let cell = Cell::new(way);
        let path = cell.path("work/socket");
        let unix = UnixListener::bind(&path).unwrap();
        unix.set_nonblocking(true).unwrap();
        let name = format!("holm-jail-{way:?}-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let hidden = UnixListener::bind_addr(&address).unwrap();
        hidden.set_nonblocking(true).unwrap();
        let script = format!(
            "import socket\n\
             def attempt(family, kind, address):\n  \
               try:\n    s = socket.socket(family, kind); s.connect(address); s.send(b'x'); print('sent', address)\n  \
               except OSError as e: pass\n\
             attempt(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', {tcp}))\n\
             attempt(socket.AF_INET, socket.SOCK_DGRAM, ('127.0.0.1', {udp}))\n\
             attempt(socket.AF_INET6, socket.SOCK_STREAM, ('::ffff:127.0.0.1', {tcp}))\n\
             attempt(socket.AF_UNIX, socket.SOCK_STREAM, '{path}')\n\
             attempt(socket.AF_UNIX, socket.SOCK_STREAM, '\\0{name}')\n\
             a, b = socket.socketpair(); a.send(b'x'); print('pair', b.recv(1))\n",
            tcp = tcp.local_addr().unwrap().port(),
            udp = udp.local_addr().unwrap().port(),
            path = path.display(),
        );
        assert_eq!(cell.python(&script).await, "pair b'x'\n", "{way:?}");
        assert!(tcp.accept().is_err() && unix.accept().is_err() && hidden.accept().is_err(), "{way:?}");
        assert!(udp.recv(&mut [0; 8]).is_err(), "{way:?}");
        // With the network there are connections, and still no local services.
        let open = cell.jail().network(JailNetwork::Open);
        let outcome = cell.run(&open, &cell::python(&script)).await;
        let said = cell::text(&outcome.stdout.bytes);
        assert!(said.contains("sent ('127.0.0.1'") && !said.contains("socket'"), "{way:?}: {said}");
        assert!(tcp.accept().is_ok() && unix.accept().is_err() && hidden.accept().is_err(), "{way:?}");
        while tcp.accept().is_ok() {}
        while udp.recv(&mut [0; 8]).is_ok() {}
    }
}

#[tokio::test]
async fn other_processes_are_neither_read_nor_traced_nor_signalled() {
    for way in WAYS {
        let cell = Cell::new(way);
        let mut victim = as_user("/bin/sleep");
        let mut victim =
            victim.arg("60").env_clear().env("SECRET", CANARY).stdin(Stdio::null()).spawn().unwrap();
        let pid = victim.id();
        let (_, said) =
            cell.sh(&format!("cat /proc/{pid}/environ; kill -9 {pid}; kill -9 -1; echo done")).await;
        assert!(!said.contains(CANARY), "{way:?}: {said}");
        let script = format!(
            "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n\
             print(libc.ptrace(16, {pid}, 0, 0), libc.ptrace(0x4206, {pid}, 0, 0))\n\
             buf = ctypes.create_string_buffer(8)\n\
             class V(ctypes.Structure): _fields_ = [('b', ctypes.c_void_p), ('l', ctypes.c_size_t)]\n\
             v = V(ctypes.addressof(buf), 8)\n\
             print(libc.process_vm_readv({pid}, ctypes.byref(v), 1, ctypes.byref(v), 1, 0))\n"
        );
        assert_eq!(cell.python(&script).await, "-1 -1\n-1\n", "{way:?}");
        assert!(victim.try_wait().unwrap().is_none(), "{way:?}: the victim was killed");
        victim.kill().unwrap();
        victim.wait().unwrap();
    }
}

#[tokio::test]
async fn no_privilege_and_no_namespace_is_gained() {
    const SCRIPT: &str = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n\
        for flag in [0x10000000, 0x00020000, 0x40000000, 0x20000000]: print(libc.unshare(flag), end=' ')\n\
        print(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None), libc.chroot(b'/'), end=' ')\n\
        print(libc.syscall(435, 0, 0), ctypes.get_errno(), libc.syscall(425, 1, 0), ctypes.get_errno(), end=' ')\n\
        print(libc.syscall(0x40000000 + 39), ctypes.get_errno())\n\
        print([l.split()[1] for l in open('/proc/self/status') if l.split(':')[0] in ('NoNewPrivs', 'CapEff', 'CapPrm', 'Seccomp')])\n";
    for way in WAYS {
        let said = Cell::new(way).python(SCRIPT).await;
        let expect =
            "-1 -1 -1 -1 -1 -1 -1 38 -1 38 -1 38\n['0000000000000000', '0000000000000000', '1', '2']\n";
        assert_eq!(said, expect, "{way:?}");
    }
}

#[tokio::test]
async fn whoever_hides_from_the_job_dies_with_it() {
    const CASES: &[(&str, &str)] = &[
        ("in the background", "sleep MARK & echo ok"),
        ("in another session", "setsid sleep MARK & echo ok"),
        ("forked twice", "(setsid sh -c 'sleep MARK & exit' &) ; echo ok"),
        ("without the hang-up", "nohup sleep MARK >/dev/null 2>&1 & echo ok"),
        ("with the streams closed", "setsid sleep MARK <&- >&- 2>&- & echo ok"),
        ("stopped", "sleep MARK & kill -STOP $!; echo ok"),
    ];
    for way in WAYS {
        let cell = Cell::new(way);
        for (at, (name, script)) in CASES.iter().enumerate() {
            let marker = format!("97{at}{}.5", std::process::id());
            let (outcome, said) = cell.sh(&script.replace("MARK", &marker)).await;
            assert_eq!((outcome.ending, said.as_str()), (JailEnding::Exited(0), "ok\n"), "{way:?}: {name}");
            assert!(soon(|| !is_running(&marker)).await, "{way:?}: {name}");
        }
    }
}

#[tokio::test]
async fn a_job_ends_with_its_time_with_its_killer_and_with_its_owner() {
    for way in WAYS {
        let cell = Cell::new(way);
        let marker = format!("98{}.5", std::process::id());
        let script = format!("setsid sleep {marker} & sleep {marker}");
        let quick =
            cell.jail().limits(JailLimits { wall: Duration::from_millis(300), ..JailLimits::default() });
        assert_eq!(cell.run(&quick, &cell::shell(&script)).await.ending, JailEnding::TimedOut, "{way:?}");
        assert!(soon(|| !is_running(&marker)).await, "{way:?}: after its time");

        let job = cell.spawn(&cell.jail(), &cell::shell(&script)).await;
        assert!(soon(|| is_running(&marker)).await);
        job.killer().kill();
        assert_eq!(
            job.finish(holm_jail::CaptureOptions::default()).await.ending,
            JailEnding::Cancelled,
            "{way:?}"
        );
        assert!(soon(|| !is_running(&marker)).await, "{way:?}: after its killer");

        let job = cell.spawn(&cell.jail(), &cell::shell(&script)).await;
        assert!(soon(|| is_running(&marker)).await);
        let _still_held = job.killer();
        drop(job);
        assert!(soon(|| !is_running(&marker)).await, "{way:?}: after its owner");
    }
}

#[tokio::test]
async fn a_fork_bomb_is_contained_and_swept() {
    for way in WAYS {
        let cell = Cell::new(way);
        let marker = format!("99{}.5", std::process::id());
        let script = format!("bomb() {{ sleep {marker} & bomb & bomb & wait; }}; bomb");
        let limits = JailLimits { wall: Duration::from_secs(2), processes: 40, ..JailLimits::default() };
        let outcome = cell.run(&cell.jail().limits(limits), &cell::shell(&script)).await;
        assert!(
            matches!(outcome.ending, JailEnding::TimedOut | JailEnding::Exited(_)),
            "{way:?}: {:?}",
            outcome.ending
        );
        assert!(soon(|| !is_running(&marker)).await, "{way:?}");
    }
}

#[tokio::test]
async fn memory_files_and_output_are_bounded() {
    for way in WAYS {
        let cell = Cell::new(way);
        let limits =
            JailLimits { memory: 200 << 20, file_size: 1 << 20, output: 1 << 20, ..JailLimits::default() };
        let jail = cell.jail().limits(limits);
        let private = cell.run(&jail, &cell::python("x = bytearray(400 << 20)")).await;
        assert!(cell::text(&private.stderr.bytes).contains("MemoryError"), "{way:?}: {private:?}");
        let shared = "import mmap, time\nm = mmap.mmap(-1, 400 << 20)\nfor i in range(0, len(m), 4096): m[i] = 1\ntime.sleep(20)";
        let shared = cell.run(&jail, &cell::python(shared)).await;
        assert_eq!(shared.ending, JailEnding::OutOfMemory, "{way:?}: {shared:?}");
        cell.run(&jail, &cell::shell("cat /dev/zero > old")).await;
        assert_eq!(fs::metadata(cell.path("work/old")).unwrap().len(), 1 << 20, "{way:?}");
        let flood = cell.run(&jail, &cell::shell("yes; yes >&2")).await;
        assert_eq!(flood.ending, JailEnding::OutOfOutput, "{way:?}");
        assert!(flood.stdout.bytes.len() <= 1 << 20 && flood.stdout.total < 2 << 20, "{way:?}");
    }
}

#[tokio::test]
async fn other_programs_are_not_started_unless_they_are_granted() {
    for way in [cell::Way::Landlock, cell::Way::LandlockAlone] {
        let cell = Cell::new(way);
        let narrow = holm_jail::Jail::new().cwd(cell.path("work")).exec(cell::real("/bin/cat"));
        let outcome = cell
            .run(&narrow, &cell::shell("/bin/cat /etc/hostname; /bin/ls /; /usr/bin/cat /etc/passwd"))
            .await;
        let (out, err) = (cell::text(&outcome.stdout.bytes), cell::text(&outcome.stderr.bytes));
        assert!(out.contains("root:") && err.contains("/bin/ls: Permission denied"), "{way:?}: {out} {err}");
    }
}

#[test]
fn the_launcher_shows_nothing_of_an_order_in_its_arguments_or_environment() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let cell = Cell::new(cell::Way::Landlock);
        let jail = cell.jail().env("TOKEN", CANARY);
        let _job = cell.spawn(&jail, &cell::shell("sleep 20")).await;
        let mut seen = 0;
        for process in fs::read_dir("/proc").unwrap().flatten() {
            let read = |name: &str| {
                let mut text = Vec::new();
                let _ = fs::File::open(process.path().join(name))
                    .and_then(|mut file| file.read_to_end(&mut text));
                String::from_utf8_lossy(&text).into_owned()
            };
            if read("cmdline").contains("/launcher") && read("cmdline").contains("holm-jail-") {
                seen += 1;
                assert!(!read("cmdline").contains(CANARY) && !read("environ").contains(CANARY));
            }
        }
        assert!(seen > 0, "no launcher was looked at");
    });
}

#[tokio::test]
async fn what_is_hidden_inside_a_root_is_not_read_and_not_replaced() {
    const CASES: &[(&str, &str)] = &[
        ("by its path", "cat $CELL/in/.env"),
        ("in a folder to write", "cat $CELL/work/.env"),
        ("in a hidden folder", "cat $CELL/work/keys/id; find $CELL/work/keys -type f -exec cat {} +"),
        ("through a link", "ln -s $CELL/work/.env l; cat l"),
        ("by a hard link", "ln .env h && cat h"),
        ("by moving it", "mv .env e && cat e; mv keys k && cat k/id"),
        ("by copying all of it", "cp -r $CELL/in $CELL/work/copy; cat copy/.env; tar cf - $CELL/in | cat"),
        ("through its own root", "cat /proc/self/root$CELL/in/.env"),
        ("by searching", "grep -r canary $CELL/in $CELL/work"),
    ];
    for way in WAYS {
        let cell = Cell::new(way);
        fs::create_dir(cell.path("work/keys")).unwrap();
        for name in ["in/.env", "work/.env", "work/keys/id"] {
            fs::write(cell.path(name), CANARY).unwrap();
        }
        let hidden = ["in/.env", "work/.env", "work/keys", "work/not-there"];
        let jail = hidden.iter().fold(cell.jail(), |jail, name| jail.hide(cell.path(name)));
        let outcome = cell.run(&jail, &cell::shell("cat $CELL/in/data; cat old")).await;
        assert_eq!(
            cell::text(&outcome.stdout.bytes),
            "publicold",
            "{way:?}: what is beside it is read: {outcome:?}"
        );
        for (name, script) in CASES {
            let outcome = cell.run(&jail, &cell::shell(script)).await;
            let said = [outcome.stdout.bytes, outcome.stderr.bytes].concat();
            assert!(!cell::text(&said).contains(CANARY), "{way:?}: {name}: {}", cell::text(&said));
        }
        cell.run(&jail, &cell::shell("rm -rf .env keys; echo x > .env; echo x > keys/id")).await;
        for name in ["in/.env", "work/.env", "work/keys/id"] {
            assert_eq!(fs::read_to_string(cell.path(name)).unwrap(), CANARY, "{way:?}: {name} is as it was");
        }
    }
}

#[tokio::test]
async fn a_pipe_where_something_is_protected_holds_nothing_up() {
    const NAMES: [&str; 4] = [".bashrc", "holm.toml", ".git", ".holm"];
    for way in WAYS {
        let cell = Cell::new(way);
        let work = cell.path("work");
        let mut jail = cell.jail();
        for name in NAMES {
            let made = as_user("/usr/bin/mkfifo").arg(work.join(name)).status().unwrap();
            assert!(made.success(), "mkfifo: install coreutils");
            jail = jail.protect(work.join(name));
        }
        let script = "echo here; rm -f .bashrc holm.toml .git .holm; mv holm.toml moved; ln -sf old .bashrc";
        let outcome = cell.run(&jail, &cell::shell(script)).await;
        assert!(cell::text(&outcome.stdout.bytes).starts_with("here\n"), "{way:?}: {outcome:?}");
        assert!(matches!(outcome.ending, JailEnding::Exited(_)), "{way:?}: {outcome:?}");
        for name in NAMES {
            let kind = work.join(name).symlink_metadata().unwrap().file_type();
            assert!(std::os::unix::fs::FileTypeExt::is_fifo(&kind), "{way:?}: {name} is what it was");
        }
    }
}
