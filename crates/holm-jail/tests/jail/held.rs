//! What is protected and hidden, as the user's folder and other jobs see it.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use holm_jail::{CaptureOptions, Jail, JailEnding, JailError, JailLimits, ProtectedNameFate};

use crate::cell::{self, CANARY, Cell, WAYS, Way};

/// Runs jobs side by side.
async fn all(cell: &Cell, jail: &Jail, scripts: impl Iterator<Item = String>) -> Vec<holm_jail::JailOutcome> {
    let mut jobs = Vec::new();
    for script in scripts {
        jobs.push(cell.spawn(jail, &cell::shell(&script)).await);
    }
    let mut outcomes = Vec::new();
    for job in jobs {
        outcomes.push(job.finish(CaptureOptions::default()).await);
    }
    outcomes
}

#[tokio::test]
async fn a_job_shows_the_user_no_name_that_was_not_there_before() {
    for way in WAYS {
        let cell = Cell::new(way);
        cell.make("work/src/.env", CANARY);
        let before = (cell.names("work"), cell.names("work/src"));
        let names = [".holm", "src/.git", ".bashrc", "deep/agent.toml"];
        let jail = names.iter().fold(cell.jail(), |jail, name| jail.protect(cell.path("work").join(name)));
        let jail = jail.hide(cell.path("work/src/.env"));
        let mut job = cell.spawn(&jail, &cell::shell("echo here; read line").piped_input()).await;
        let mut stdout = job.take_stdout().unwrap();
        let mut said = [0; 5];
        tokio::io::AsyncReadExt::read_exact(&mut stdout, &mut said).await.unwrap();
        // It runs now, and waits.
        assert_eq!((cell.names("work"), cell.names("work/src")), before, "{way:?}");
        drop(job.take_stdin());
        job.finish(CaptureOptions::default()).await;
        assert_eq!((cell.names("work"), cell.names("work/src")), before, "{way:?}");
    }
}

#[tokio::test]
async fn many_jobs_at_once_leave_nothing_in_the_users_folder() {
    for way in WAYS {
        let cell = Cell::new(way);
        let jail = cell.jail().protect(cell.path("work/.holm"));
        let outcomes = all(&cell, &jail, (0..20).map(|number| format!("exit {number}"))).await;
        let endings: Vec<JailEnding> = outcomes.iter().map(|outcome| outcome.ending).collect();
        assert_eq!(endings, (0..20).map(JailEnding::Exited).collect::<Vec<_>>(), "{way:?}");
        assert_eq!(cell.names("work"), ["old"], "{way:?}");
    }
}

#[tokio::test]
async fn what_a_job_makes_under_a_protected_name_is_set_aside_and_told() {
    for way in [Way::Bubblewrap, Way::Landlock] {
        let cell = Cell::new(way);
        let path = cell.path("work/.git");
        // Prepared beforehand, and put in its place whole.
        let script = "mkdir -p x/objects x/refs; echo '[core]' > x/config; mv x .git; while [ -e .git ]; do :; done; echo gone";
        let outcome = cell.run(&cell.jail(), &cell::shell(script)).await;
        assert_eq!(cell::text(&outcome.stdout.bytes), "gone\n", "{way:?}: it goes while the job runs");
        assert_eq!(outcome.ending, JailEnding::Exited(0), "{way:?}");
        let [name] = outcome.appeared.as_slice() else { panic!("{way:?}: {outcome:?}") };
        let ProtectedNameFate::SetAside(aside) = &name.fate else { panic!("{way:?}: {name:?}") };
        assert!(name.path == path && aside.join("config").exists(), "{way:?}: {name:?}");
        fs::remove_dir_all(aside).unwrap();
        assert_eq!(cell.names("work"), ["old"], "{way:?}");
        let again = "while :; do mkdir .git 2>/dev/null; done";
        let outcome = cell.run(&cell.jail(), &cell::shell(again)).await;
        assert_eq!(outcome.ending, JailEnding::MadeProtected, "{way:?}");
        assert_eq!(cell.names("work"), ["old"], "{way:?}");
    }
}

#[tokio::test]
async fn several_protected_names_that_appear_once_do_not_end_a_job() {
    const NAMES: [&str; 4] = [".devcontainer", ".vscode", "lefthook.yml", "tasks.toml"];
    for way in [Way::Bubblewrap, Way::Landlock] {
        let cell = Cell::new(way);
        let jail = NAMES.iter().fold(cell.jail(), |jail, name| jail.protect(cell.path("work").join(name)));
        let script = format!(
            "for name in {}; do echo x > $name; while [ -e $name ]; do :; done; done; echo done",
            NAMES.join(" ")
        );
        let outcome = cell.run(&jail, &cell::shell(&script)).await;
        assert_eq!(cell::text(&outcome.stdout.bytes), "done\n", "{way:?}: {outcome:?}");
        assert_eq!(outcome.ending, JailEnding::Exited(0), "{way:?}");
        assert_eq!(outcome.appeared.len(), NAMES.len(), "{way:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_link_on_the_way_to_a_protected_name_leads_the_supervisor_nowhere() {
    for way in [Way::Bubblewrap, Way::Landlock] {
        let cell = Cell::new(way);
        let jail = cell.jail().protect(cell.path("work/tools/secret"));
        let script = "ln -s $CELL/out tools; while [ -h tools ]; do :; done; echo gone";
        let outcome = cell.run(&jail, &cell::shell(script)).await;
        assert_eq!(cell::text(&outcome.stdout.bytes), "gone\n", "{way:?}: {outcome:?}");
        assert_eq!(cell.names("out"), ["secret"], "{way:?}");
        let [name] = outcome.appeared.as_slice() else { panic!("{way:?}: {outcome:?}") };
        let ProtectedNameFate::SetAside(aside) = &name.fate else { panic!("{way:?}: {name:?}") };
        assert_eq!(name.path, cell.path("work/tools"), "{way:?}");
        assert_eq!(fs::read_link(aside).unwrap(), cell.path("out"), "{way:?}");
    }
}

#[tokio::test]
async fn what_the_user_had_before_is_set_aside_and_not_removed() {
    for way in [Way::Bubblewrap, Way::Landlock] {
        let cell = Cell::new(way);
        cell.make("work/mine/config", "worth keeping");
        let outcome =
            cell.run(&cell.jail(), &cell::shell("mv mine .git; while [ -e .git ]; do :; done")).await;
        let [name] = outcome.appeared.as_slice() else { panic!("{way:?}: {outcome:?}") };
        let ProtectedNameFate::SetAside(aside) = &name.fate else { panic!("{way:?}: {name:?}") };
        assert_eq!(fs::read_to_string(aside.join("config")).unwrap(), "worth keeping", "{way:?}");
    }
}

/// Exchanges two folders again and again, one of which holds what is hidden, until its input ends.
const EXCHANGE: &str = r#"
import ctypes, os, random, select, sys, time
libc = ctypes.CDLL(None)
print("here", flush=True)
while not select.select([sys.stdin], [], [], 0)[0]:
    try: open("x1/.env", "w").close()
    except OSError: pass
    libc.renameat2(-100, b"conf", -100, b"x1", 2)
    time.sleep(random.random() / 100)
    libc.renameat2(-100, b"conf", -100, b"x1", 2)
    try: os.unlink("x1/.env")
    except OSError: pass
"#;

/// How often the race is run; set it higher by hand.
fn tries() -> usize {
    std::env::var("HOLM_JAIL_RACES").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

/// How often a job may be refused for each one that is started, on average.
const MOST_REFUSED: usize = 50;

/// What another job reads of a hidden file while folders are exchanged, with so many other hidden
/// files; how often it was started.
async fn race(way: Way, others: usize, tries: usize) -> (usize, usize) {
    let cell = Cell::new(way);
    let others: Vec<_> = (0..others).map(|number| format!("in/others/.env.{number}")).collect();
    others.iter().for_each(|name| cell.make(name, ""));
    let all = others.iter().fold(cell.jail(), |jail, name| jail.hide(cell.path(name)));
    cell.make("work/conf/.env", CANARY);
    cell.make("work/x1/other", "");
    let wall = JailLimits { wall: Duration::from_secs(3_600), ..JailLimits::default() };
    let racing = cell.jail().hide(cell.path("work/conf/.env")).limits(wall);
    let mut racer = cell.spawn(&racing, &cell::python(EXCHANGE).piped_input()).await;
    let mut stdout = racer.take_stdout().unwrap();
    tokio::io::AsyncReadExt::read_exact(&mut stdout, &mut [0; 5]).await.unwrap();
    let (mut started, mut read) = (0, 0);
    // Most starts are refused while the folders are exchanged, on a slow machine perhaps all of them.
    for _ in 0..tries.saturating_mul(MOST_REFUSED) {
        if started == tries {
            break;
        }
        // As a scan does: every file that has the name at this moment.
        let found = ["work/conf/.env", "work/x1/.env"].map(|name| cell.path(name));
        let jail = found.into_iter().filter(|path| path.exists()).fold(all.clone(), Jail::hide);
        match cell.try_spawn(&jail, &cell::shell("cat conf/.env x1/.env conf/.env x1/.env")).await {
            Ok(job) => {
                started += 1;
                let outcome = job.finish(CaptureOptions::default()).await;
                read += usize::from(cell::text(&outcome.stdout.bytes).contains(CANARY));
            }
            Err(JailError::Start { stage: holm_jail::StartStage::Changed, .. }) => {}
            Err(error) => panic!("{way:?}: {error}"),
        }
    }
    drop(racer.take_stdin());
    assert_eq!(racer.finish(CaptureOptions::default()).await.ending, JailEnding::Exited(0), "{way:?}");
    assert!(started > 0, "{way:?}: every start was refused, so nothing was tried");
    (started, read)
}

#[tokio::test]
async fn no_job_moves_a_hidden_file_out_of_the_way_of_another_under_bubblewrap() {
    let (started, read) = race(Way::Bubblewrap, 0, tries()).await;
    assert_eq!(read, 0, "of {started}");
}

#[tokio::test]
async fn no_job_moves_a_hidden_file_out_of_the_way_of_another_under_landlock() {
    let (started, read) = race(Way::Landlock, 0, tries()).await;
    assert_eq!(read, 0, "of {started}");
}

#[tokio::test]
async fn no_job_moves_a_hidden_file_out_of_the_way_of_another_where_mounts_are_made_from_outside() {
    let (started, read) = race(Way::Bubblewrap, 100, tries()).await;
    assert_eq!(read, 0, "of {started}");
}

#[tokio::test]
async fn the_folders_around_a_hidden_file_stay_where_they_are() {
    const SCRIPT: &str = "mv a/b moved; mv a moved; rm -rf a/b; mkdir x; \
        python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b\"a\", -100, b\"x\", 2)'; \
        cat moved/.env moved/b/.env x/b/.env a/b/.env";
    for way in WAYS {
        let cell = Cell::new(way);
        cell.make("work/a/b/.env", CANARY);
        let jail = cell.jail().hide(cell.path("work/a/b/.env"));
        let outcome = cell.run(&jail, &cell::shell(SCRIPT)).await;
        let there = fs::read_to_string(cell.path("work/a/b/.env")).unwrap_or_default();
        assert_eq!(there, CANARY, "{way:?}: {}", cell::text(&outcome.stderr.bytes));
        assert!(!cell::text(&outcome.stdout.bytes).contains(CANARY), "{way:?}");
    }
}

#[tokio::test]
async fn a_hidden_file_that_is_another_one_by_now_is_looked_for_again() {
    for way in [Way::Bubblewrap, Way::Landlock] {
        let cell = Cell::new(way);
        cell.make("work/conf/.env", CANARY);
        cell.make("work/x1/.env", "decoy");
        let jail = cell.jail().hide(cell.path("work/conf/.env"));
        fs::rename(cell.path("work/conf"), cell.path("work/x2")).unwrap();
        let missing = cell.try_spawn(&jail, &cell::shell("cat x2/.env")).await.map(|_| ());
        fs::rename(cell.path("work/x1"), cell.path("work/conf")).unwrap();
        let replaced = cell.try_spawn(&jail, &cell::shell("cat x2/.env")).await.map(|_| ());
        for refused in [missing, replaced] {
            let is_changed = |error: &JailError| {
                matches!(error, JailError::Start { stage: holm_jail::StartStage::Changed, .. })
            };
            assert!(refused.as_ref().is_err_and(is_changed), "{way:?}: {refused:?}");
        }
    }
}

#[tokio::test]
async fn thousands_of_hidden_files_and_hundreds_of_repositories_keep_nobody_from_starting() {
    for way in WAYS {
        let cell = Cell::new(way);
        // Enough on a machine that is busy with other things.
        let limits = JailLimits { wall: Duration::from_secs(300), ..JailLimits::default() };
        let mut jail = cell.jail().limits(limits);
        for number in 0..3_000 {
            cell.make(&format!("work/d{number}/.env"), CANARY);
            jail = jail.hide(cell.path(&format!("work/d{number}/.env")));
        }
        let took = timed(way, &cell, &jail, "cat d*/.env; echo done").await;
        println!("{way:?}: 3,000 hidden files: {took:?}");
        let cell = Cell::new(way);
        let mut jail = cell.jail().limits(limits);
        for number in 0..400 {
            cell.make(&format!("work/g{number}/.git/config"), "safe");
            cell.make(&format!("work/g{number}/.git/hooks/x.sample"), "");
            jail = jail.repository(cell.path(&format!("work/g{number}/.git")));
        }
        let script = "for g in g*; do echo evil > $g/.git/config; echo evil > $g/.git/hooks/pre-commit; done 2>/dev/null; echo done";
        let took = timed(way, &cell, &jail, script).await;
        println!("{way:?}: 400 repositories: {took:?}");
        let configs: BTreeSet<String> = (0..400)
            .map(|number| fs::read_to_string(cell.path(&format!("work/g{number}/.git/config"))).unwrap())
            .collect();
        assert_eq!(configs, BTreeSet::from(["safe".into()]), "{way:?}");
        assert_eq!(cell.names("work/g399/.git/hooks"), ["x.sample"], "{way:?}");
    }
}

/// Runs a script that must say that it is done and nothing else; how long one
/// takes that does nothing.
async fn timed(way: Way, cell: &Cell, jail: &Jail, script: &str) -> Duration {
    let began = Instant::now();
    let idle = cell.run(jail, &cell::shell(":")).await;
    let took = began.elapsed();
    assert_eq!(idle.ending, JailEnding::Exited(0), "{way:?}: {idle:?}");
    let outcome = cell.run(jail, &cell::shell(script)).await;
    assert_eq!(cell::text(&outcome.stdout.bytes), "done\n", "{way:?}: {outcome:?}");
    took
}

#[tokio::test]
async fn more_paths_than_can_be_held_are_refused_by_their_number() {
    let cell = Cell::new(Way::Landlock);
    let jail =
        (0..60_001).fold(cell.jail(), |jail, number| jail.protect(cell.path(&format!("work/p{number}"))));
    let refused = cell.try_spawn(&jail, &cell::shell(":")).await.map(|_| ()).unwrap_err();
    assert!(matches!(refused, JailError::Crowded { .. }), "{refused}");
    assert!(refused.to_string().contains("paths are protected or hidden"), "{refused}");
}

#[tokio::test]
async fn no_folder_in_memory_is_without_a_bound() {
    let cell = Cell::new(Way::Bubblewrap);
    let limits = JailLimits { memory: 400 << 20, ..JailLimits::default() };
    let jail = cell.jail().limits(limits);
    let script = "for place in / /dev /dev/shm /tmp /run /etc /usr; do \
                  dd if=/dev/zero of=$place/filled bs=1M count=200 2>/dev/null; \
                  stat -c '%n %s' $place/filled 2>/dev/null; done; echo done";
    let outcome = cell.run(&jail, &cell::shell(script)).await;
    let said = cell::text(&outcome.stdout.bytes);
    let mebibytes = 50 << 20;
    assert_eq!(said, format!("/dev/shm/filled {mebibytes}\n/tmp/filled {mebibytes}\ndone\n"), "{outcome:?}");
    // Memory that is shared by number is in no folder, and not resident while no process has it
    // attached.
    let shared = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n\
                  print(libc.shmget(0, ctypes.c_size_t(16 << 10), 0o1600) >= 0, libc.shmget(0, ctypes.c_size_t(17 << 10), 0o1600))";
    let outcome = cell.run(&jail, &cell::python(shared)).await;
    assert_eq!(cell::text(&outcome.stdout.bytes), "True -1\n", "{outcome:?}");
}

#[tokio::test]
async fn the_folders_that_lead_to_roots_in_a_kept_tmp_are_read_only() {
    let cell = Cell::new(Way::Bubblewrap);
    let work = cell.path("work");
    let way = work.parent().unwrap();
    cell.make(&format!("session/{}/.keep", way.file_name().unwrap().display()), "");
    let jail = cell.jail().temporary(cell.path("session"), [way.to_owned()]);
    let script = "touch /tmp/kept && echo kept; touch $CELL/new 2>/dev/null && echo made; \
                  touch $CELL/work/new && echo worked";
    let outcome = cell.run(&jail, &cell::shell(script)).await;
    assert_eq!(cell::text(&outcome.stdout.bytes), "kept\nworked\n", "{outcome:?}");
    assert!(cell.path("session/kept").exists() && cell.path("work/new").exists());
}

#[tokio::test]
async fn memory_that_no_process_has_resident_is_bounded() {
    const SCRIPT: &str = r#"
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
try: os.memfd_create("x"); print("memfd made")
except OSError as error: print("memfd", errno.errorcode[error.errno])
pieces = 0
while libc.shmget(0, ctypes.c_size_t(16 << 10), 0o1600) >= 0: pieces += 1
print("pieces", pieces <= 4096)
print("queue", libc.msgget(0, 0o1600), "locks", libc.semget(0, 17, 0o1600))
"#;
    for way in WAYS {
        let said = Cell::new(way).python(SCRIPT).await;
        assert_eq!(said, "memfd ENOSYS\npieces True\nqueue -1 locks -1\n", "{way:?}");
    }
}

#[tokio::test]
async fn a_link_with_a_hidden_name_is_hidden_and_what_it_leads_to_is_not() {
    for (way, others) in [(Way::Bubblewrap, 0), (Way::Bubblewrap, 100), (Way::Landlock, 0)] {
        let cell = Cell::new(way);
        cell.make("work/config/data", "shown");
        std::os::unix::fs::symlink("config", cell.path("work/.aws")).unwrap();
        let mut jail = cell.jail().hide(cell.path("work/.aws"));
        for number in 0..others {
            cell.make(&format!("work/d{number}/.env"), CANARY);
            jail = jail.hide(cell.path(&format!("work/d{number}/.env")));
        }
        let script = "cat .aws/data; cat config/data; rm -f .aws; mv .aws x; ln -s old x2; mv -T x2 .aws; cat .aws/data x/data";
        let outcome = cell.run(&jail, &cell::shell(script)).await;
        assert_eq!(cell::text(&outcome.stdout.bytes), "shown", "{way:?}: {outcome:?}");
        assert_eq!(fs::read_link(cell.path("work/.aws")).unwrap().to_str(), Some("config"), "{way:?}");
    }
}

#[tokio::test]
async fn what_is_held_from_outside_is_held_as_well() {
    let cell = Cell::new(Way::Bubblewrap);
    let mut jail =
        cell.jail().network(holm_jail::JailNetwork::Proxied).env("LD_PRELOAD", cell.path("work/evil.so"));
    for number in 0..200 {
        cell.make(&format!("work/d{number}/.env"), CANARY);
        jail = jail.hide(cell.path(&format!("work/d{number}/.env")));
    }
    cell.make("work/a/agent.toml", "safe");
    cell.make("work/keys/id", CANARY);
    let jail = jail.protect(cell.path("work/a/agent.toml")).hide(cell.path("work/keys"));
    let script = "cat d*/.env keys/*; mv d7 e; cat e/.env; rm -rf keys; echo evil > a/agent.toml; mv a b; \
                  echo new > d7/new; echo $LD_PRELOAD; ls /proc/self/fd | wc -l; cat d7/new; \
                  for at in /proc/[0-9]*/cwd /proc/[0-9]*/root$PWD /proc/[0-9]*/fd/*; do \
                  cat $at/d*/.env $at/work/d*/.env $at/keys/id; echo evil > $at/a/agent.toml; done";
    let outcome = cell.run(&jail, &cell::shell(script)).await;
    let said = cell::text(&outcome.stdout.bytes);
    let lines: Vec<&str> = said.lines().collect();
    // The three streams, and the folder that `ls` reads.
    assert_eq!(lines, [cell.path("work/evil.so").to_str().unwrap(), "4", "new"], "{outcome:?}");
    assert_eq!(fs::read_to_string(cell.path("work/a/agent.toml")).unwrap(), "safe");
    assert_eq!(fs::read_to_string(cell.path("work/keys/id")).unwrap(), CANARY);
    let gone = cell.jail().protect(cell.path("work/a/agent.toml"));
    let gone = (0..200).fold(gone, |jail, number| jail.hide(cell.path(&format!("work/d{number}/.env"))));
    fs::rename(cell.path("work/d7"), cell.path("work/moved")).unwrap();
    let refused = cell.try_spawn(&gone, &cell::shell("cat moved/.env > copy")).await.map(|_| ());
    assert!(
        matches!(refused, Err(JailError::Start { stage: holm_jail::StartStage::Changed, .. })),
        "{refused:?}"
    );
    assert!(!cell.path("work/copy").exists(), "nothing ran");
    let missing =
        cell.try_spawn(&jail_of(&cell, 100), &holm_jail::JailTask::new("/no/such/program")).await.map(|_| ());
    assert!(matches!(missing, Err(JailError::Start { .. })), "{missing:?}");
}

/// A jail with so many hidden files.
fn jail_of(cell: &Cell, files: usize) -> Jail {
    (100..100 + files).fold(cell.jail(), |jail, number| jail.hide(cell.path(&format!("work/d{number}/.env"))))
}
