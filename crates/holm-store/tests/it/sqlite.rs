//! The whole suite on SQLite.

use std::{future::Future, pin::Pin};

use crate::suite::Place;
use holm_store::{Options, Store, StoreError};

pub(crate) struct Folder(tempfile::TempDir);

impl Place for Folder {
    fn open(&self, options: Options) -> Pin<Box<dyn Future<Output = Store> + Send + '_>> {
        Box::pin(async { self.try_open(options).await.unwrap() })
    }

    fn try_open(
        &self,
        options: Options,
    ) -> Pin<Box<dyn Future<Output = Result<Store, StoreError>> + Send + '_>> {
        let path = self.0.path().join("holm.db");
        Box::pin(async move { options.open(path).await })
    }
}

pub(crate) async fn folder() -> Folder {
    Folder(tempfile::tempdir().unwrap())
}

whole_suite!(crate::sqlite::folder);
