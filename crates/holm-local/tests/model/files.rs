use std::fs;

use holm_kernel::{FailureClass, ModelResult};
use holm_local::{LocalError, LocalModel, LocalModelSettings};
use holm_runtime::Model as _;

use crate::ask::{ask, file, open, request, settings, user};

#[test]
fn the_head_of_the_default_model_is_read() {
    let model = open(settings());
    let head = model.head();
    assert_eq!((head.architecture.as_str(), head.context), ("llama", Some(8192)));
    assert!(head.template && head.parameters > 100_000_000, "{head:?}");
    let card = model.card("local/smollm2");
    assert_eq!((card.window, card.price.map(|price| price.output)), (Some(2048), Some(0)));
}

#[test]
fn a_file_that_is_none_is_refused_before_anything_starts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.gguf");
    let whole = fs::read(file()).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let told = LocalModel::open(LocalModelSettings::new(&path)).unwrap_err().to_string();
    assert!(told.contains("the file is truncated"), "{told}");
    let told =
        LocalModel::open(LocalModelSettings::new(folder.path().join("none.gguf"))).unwrap_err().to_string();
    assert!(told.contains("cannot be read"), "{told}");
    let told = LocalModel::open(settings().adapter(file())).unwrap_err().to_string();
    assert!(told.ends_with("this is a model, but an adapter is required"), "{told}");
}

/// A head that holds together and a model that does not.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_llama_cpp_refuses_is_an_error_of_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.gguf");
    let mut bytes = b"GGUF".to_vec();
    bytes.extend(3_u32.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(1_u64.to_le_bytes());
    for text in ["general.architecture", "llama"] {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
        if text.starts_with("general") {
            bytes.extend(8_u32.to_le_bytes());
        }
    }
    bytes.resize(256, 0);
    fs::write(&path, bytes).unwrap();
    let launcher =
        holm_jail::JailLauncher::with_args(crate::ask::WORKER, [holm_jail::LAUNCHER_ARGUMENT.into()]);
    let model = open(LocalModelSettings::new(&path).worker(crate::ask::WORKER).launcher(launcher));
    let asked = request("", Vec::new());
    for _ in 0..2 {
        let result = ask(&mut *model.open(), &asked, &[user("Hi")]).await;
        let ModelResult::Failed(failure) = result else { panic!("{result:?}") };
        assert_eq!(failure.class, FailureClass::BadRequest, "{failure:?}");
        assert!(failure.message.contains("does not load"), "{failure:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_leaves_at_once_is_a_crash() {
    let program = fs::canonicalize("/bin/false").unwrap();
    let model = open(settings().worker(program));
    assert!(matches!(model.start().await, Err(LocalError::Crashed(_))));
}
