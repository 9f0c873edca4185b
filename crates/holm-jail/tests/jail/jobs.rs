//! What a job is given and what it gives back.

use std::sync::{Arc, Mutex};

use crate::cell::{self, Cell, WAYS, Way, text};
use holm_jail::{
    CaptureOptions, Jail, JailEnding, JailEngine, JailError, JailLauncher, JailTask, JobStream, StartStage,
    SuspectedDenial,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

#[tokio::test]
async fn a_program_gets_its_arguments_its_input_and_its_folder_as_they_are() {
    for way in WAYS {
        let cell = Cell::new(way);
        let script = "import sys, os; print(sys.argv[1:], sys.stdin.read(), os.getcwd() == os.environ['CELL'] + '/work')";
        let task = cell::python(script).args(["", "a b", "$(x)", "--", "\n"]).input("hello");
        let outcome = cell.run(&cell.jail(), &task).await;
        let expect = "['', 'a b', '$(x)', '--', '\\n'] hello True\n";
        assert_eq!(text(&outcome.stdout.bytes), expect, "{way:?}: {outcome:?}");
        assert!(outcome.suspicions.is_empty() && outcome.stdout.is_whole(), "{way:?}");
    }
}

#[tokio::test]
async fn a_program_ends_with_its_own_status() {
    for way in WAYS {
        let cell = Cell::new(way);
        for (script, ending) in [("exit 0", JailEnding::Exited(0)), ("exit 7", JailEnding::Exited(7))] {
            assert_eq!(cell.sh(script).await.0.ending, ending, "{way:?}: {script}");
        }
        // Bubblewrap reports a signal as a shell does.
        let killed =
            if way == Way::Bubblewrap { JailEnding::Exited(128 + 15) } else { JailEnding::Signalled(15) };
        assert_eq!(cell.sh("kill -TERM $$").await.0.ending, killed, "{way:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    for way in WAYS {
        let cell = Cell::new(way);
        let start =
            async |jail: Jail, task: JailTask| cell.try_spawn(&jail, &task).await.map(|_| ()).unwrap_err();
        let missing = start(cell.jail().read("/no/such/root"), cell::shell(":")).await;
        let JailError::Start { stage: StartStage::Root, path: Some(path), .. } = &missing else {
            panic!("{way:?}: {missing}")
        };
        assert_eq!(path.to_str(), Some("/no/such/root"), "{way:?}");
        if way != Way::Bubblewrap {
            let error = start(cell.jail(), JailTask::new("/no/such/program")).await;
            assert!(matches!(error, JailError::Start { stage: StartStage::Program, .. }), "{way:?}: {error}");
            let error = start(cell.jail().cwd("/no/such/folder"), cell::shell(":")).await;
            assert!(matches!(error, JailError::Start { stage: StartStage::Folder, .. }), "{way:?}: {error}");
        }
    }
    let nowhere = JailLauncher::at("/no/such/launcher");
    let error = nowhere
        .spawn(&JailEngine::Unconfined, &Jail::new(), &cell::shell(":"))
        .await
        .map(|_| ())
        .unwrap_err();
    assert!(matches!(error, JailError::Launcher { .. }), "{error}");
}

#[tokio::test]
async fn a_refusal_names_what_is_missing() {
    for way in WAYS {
        let cell = Cell::new(way);
        let asked = |outcome: &holm_jail::JailOutcome| match outcome.suspicions.as_slice() {
            [SuspectedDenial::File(request)] => request.to_string(),
            other => panic!("{way:?}: {other:?} {}", text(&outcome.stderr.bytes)),
        };
        let (outcome, _) = cell.sh("cat $CELL/out/secret").await;
        assert_eq!(asked(&outcome), format!("read:{}", cell.path("out/secret").display()), "{way:?}");
        let (outcome, _) = cell.sh("echo x > $CELL/in/new").await;
        assert_eq!(asked(&outcome), format!("write:{}", cell.path("in/new").display()), "{way:?}");
        std::fs::create_dir(cell.path("work/.git")).unwrap();
        let (outcome, _) = cell.sh("echo x > .git/index.lock").await;
        assert_eq!(asked(&outcome), format!("write:{}", cell.path("work/.git").display()), "{way:?}");
    }
}

#[tokio::test]
async fn output_beyond_what_is_kept_is_spilled_in_order() {
    let cell = Cell::new(Way::Landlock);
    let spilled = Arc::new(Mutex::new((Vec::new(), 0_usize)));
    let into = Arc::clone(&spilled);
    let spill = move |stream: JobStream, piece: &[u8]| {
        let mut spilled = into.lock().unwrap();
        match stream {
            JobStream::Out => spilled.0.extend_from_slice(piece),
            JobStream::Err => spilled.1 += piece.len(),
        }
        Ok(())
    };
    let job = cell.spawn(&cell.jail(), &cell::shell("seq 1 100000; seq 1 1000 >&2")).await;
    let outcome = job.finish(CaptureOptions { keep: 100, spill: Some(Box::new(spill)) }).await;
    let expect: String = (1..=100_000).map(|n| format!("{n}\n")).collect();
    let (out, err) = std::mem::take(&mut *spilled.lock().unwrap());
    assert_eq!((out == expect.as_bytes(), err), (true, 3893));
    assert_eq!(
        (outcome.stdout.bytes.as_slice(), outcome.stdout.total),
        (&expect.as_bytes()[..100], expect.len() as u64)
    );
    let job = cell.spawn(&cell.jail(), &cell::shell("yes")).await;
    let full =
        CaptureOptions { keep: 100, spill: Some(Box::new(|_, _| Err(std::io::Error::other("disk full")))) };
    assert_eq!(job.finish(full).await.ending, JailEnding::OutOfOutput);
}

#[tokio::test]
async fn joined_streams_keep_the_order_of_their_lines() {
    for way in WAYS {
        let cell = Cell::new(way);
        let task = cell::shell("echo one >&2; echo two; echo three >&2").joined_output();
        let outcome = cell.run(&cell.jail(), &task).await;
        assert_eq!(text(&outcome.stdout.bytes), "one\ntwo\nthree\n", "{way:?}");
        assert_eq!(outcome.stderr.total, 0, "{way:?}");
    }
}

#[tokio::test]
async fn a_refusal_behind_much_output_is_found() {
    let cell = Cell::new(Way::Landlock);
    let job =
        cell.spawn(&cell.jail(), &cell::shell("seq 1 100000; cat $CELL/out/secret").joined_output()).await;
    let outcome = job.finish(CaptureOptions { keep: 100, spill: None }).await;
    assert!(matches!(outcome.suspicions.as_slice(), [SuspectedDenial::File(_)]), "{:?}", outcome.suspicions);
}

#[tokio::test]
async fn a_program_can_be_talked_with() {
    for way in WAYS {
        let cell = Cell::new(way);
        let mut job = cell.spawn(&cell.jail(), &JailTask::new(cell::real("/bin/cat")).piped_input()).await;
        let (mut stdin, mut stdout) = (job.take_stdin().unwrap(), job.take_stdout().unwrap());
        let mut heard = [0; 5];
        for word in ["hello", "again"] {
            stdin.write_all(word.as_bytes()).await.unwrap();
            stdout.read_exact(&mut heard).await.unwrap();
            assert_eq!(&heard, word.as_bytes(), "{way:?}");
        }
        drop(stdin);
        assert_eq!(job.finish(CaptureOptions::default()).await.ending, JailEnding::Exited(0), "{way:?}");
    }
}

#[tokio::test]
async fn many_jobs_share_one_launcher_and_leave_no_zombie() {
    let cell = Cell::new(Way::Landlock);
    let jail = cell.jail();
    for _ in 0..5 {
        let jobs = (0..8).map(|n| {
            let (cell, jail) = (&cell, &jail);
            async move { cell.run(jail, &cell::shell(&format!("exit {n}"))).await.ending }
        });
        let mut endings = Vec::new();
        for job in jobs.collect::<Vec<_>>() {
            endings.push(job.await);
        }
        assert_eq!(endings, (0..8).map(JailEnding::Exited).collect::<Vec<_>>());
    }
    let zombies = || {
        let launcher = cell.path("launcher");
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        all.filter(|process| {
            let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
            stat.contains(") Z ") && stat.contains("(launcher)") && launcher.exists()
        })
        .count()
    };
    assert!(cell::soon(|| zombies() == 0).await);
}

#[tokio::test]
async fn only_by_name_is_a_program_not_confined() {
    let detected = JailEngine::detect().unwrap();
    assert_ne!(detected, JailEngine::Unconfined);
    let cell = Cell::new(Way::Landlock);
    let launcher = JailLauncher::at(cell.path("launcher"));
    let task = cell::shell("cat $CELL/out/secret");
    let job = launcher.spawn(&JailEngine::Unconfined, &cell.jail(), &task).await.unwrap();
    assert_eq!(text(&job.finish(CaptureOptions::default()).await.stdout.bytes), cell::CANARY);
}
