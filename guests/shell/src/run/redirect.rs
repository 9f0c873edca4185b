//! Redirections: `<`, `>`, `>>`, `2>&1`, here-documents and the like.

use brush_parser::ast::{
    IoFileRedirectKind as Kind, IoFileRedirectTarget as Target, IoRedirect, ProcessSubstitutionKind,
};

use crate::io::IoHandle;
use crate::shell::paths::{WriteMode, said};
use crate::shell::{ShellFlow, ShellState, CommandResult};

/// Why a redirection did not happen: the shell is left, or the command fails with this text.
enum RedirectError {
    Flow(ShellFlow),
    Said(String),
}

impl From<ShellFlow> for RedirectError {
    fn from(flow: ShellFlow) -> Self {
        Self::Flow(flow)
    }
}

impl ShellState {
    /// Opens everything in order. The error is how the command ends.
    pub(crate) async fn redirect_all(&mut self, redirects: &[IoRedirect]) -> Result<(), CommandResult> {
        for redirect in redirects {
            match self.redirect(redirect).await {
                Ok(()) => {}
                Err(RedirectError::Flow(flow)) => return Err(Err(flow)),
                Err(RedirectError::Said(text)) => {
                    self.complain(&format!("shell: {text}")).await;
                    return Err(Ok(1));
                }
            }
        }
        Ok(())
    }

    async fn redirect(&mut self, redirect: &IoRedirect) -> Result<(), RedirectError> {
        match redirect {
            IoRedirect::File(fd, kind, target) => self.redirect_file(*fd, kind, target).await,
            IoRedirect::HereDocument(fd, document) => {
                let text = if document.requires_expansion {
                    self.expand_quoted(&document.doc.value).await?
                } else {
                    document.doc.value.clone()
                };
                self.fds.set(fd.unwrap_or(0), IoHandle::text(text.into_bytes()));
                Ok(())
            }
            IoRedirect::HereString(fd, word) => {
                let text = self.expand_text(&word.value).await?;
                self.fds.set(fd.unwrap_or(0), IoHandle::text(format!("{text}\n").into_bytes()));
                Ok(())
            }
            IoRedirect::OutputAndError(word, append) => {
                let path = self.expand_text(&word.value).await?;
                let how = if *append { WriteMode::Append } else { WriteMode::Replace };
                let handle = self.write_to(&path, how)?;
                self.fds.set(1, handle.clone());
                self.fds.set(2, handle);
                Ok(())
            }
        }
    }

    async fn redirect_file(&mut self, fd: Option<i32>, kind: &Kind, target: &Target) -> Result<(), RedirectError> {
        let reads = matches!(kind, Kind::Read | Kind::DuplicateInput | Kind::ReadAndWrite);
        let fd = fd.unwrap_or(i32::from(!reads));
        let path = match target {
            Target::Fd(number) => return self.duplicate(fd, &number.to_string()),
            Target::Duplicate(word) => {
                let which = self.expand_text(&word.value).await?;
                return self.duplicate(fd, &which);
            }
            Target::Filename(word) => self.one_name(&word.value).await?,
            Target::ProcessSubstitution(ProcessSubstitutionKind::Read, group) => {
                let bytes = self.capture(&group.list.to_string()).await;
                self.make_file(bytes)
            }
            Target::ProcessSubstitution(ProcessSubstitutionKind::Write, _) => {
                return Err(RedirectError::Said("nothing can run beside the shell, so there is no >(…)".to_owned()));
            }
        };
        let handle = match kind {
            Kind::Read | Kind::DuplicateInput | Kind::ReadAndWrite => {
                self.open_read(&path).map_err(|error| RedirectError::Said(format!("{path}: {}", said(&error))))?
            }
            Kind::Write if self.options.noclobber => self.write_to(&path, WriteMode::Create)?,
            Kind::Write | Kind::Clobber | Kind::DuplicateOutput => self.write_to(&path, WriteMode::Replace)?,
            Kind::Append => self.write_to(&path, WriteMode::Append)?,
        };
        self.fds.set(fd, handle);
        Ok(())
    }

    async fn one_name(&mut self, word: &str) -> Result<String, RedirectError> {
        let mut names = self.expand_words(word).await?;
        match (names.pop(), names.is_empty()) {
            (Some(name), true) => Ok(name),
            _ => Err(RedirectError::Said(format!("{word}: ambiguous redirect"))),
        }
    }

    fn write_to(&self, path: &str, how: WriteMode) -> Result<IoHandle, RedirectError> {
        self.open_write(path, how).map_err(|error| RedirectError::Said(format!("{path}: {}", said(&error))))
    }

    /// `2>&1`, `2>&-`, and `>&file`, which means both outputs.
    fn duplicate(&mut self, fd: i32, which: &str) -> Result<(), RedirectError> {
        if which == "-" {
            self.fds.close(fd);
            return Ok(());
        }
        let Ok(number) = which.trim_end_matches('-').parse::<i32>() else {
            let handle = self.write_to(which, WriteMode::Replace)?;
            self.fds.set(1, handle.clone());
            self.fds.set(2, handle);
            return Ok(());
        };
        let Some(handle) = self.fds.find(number).cloned() else {
            return Err(RedirectError::Said(format!("{number}: Bad file descriptor")));
        };
        self.fds.set(fd, handle);
        if which.ends_with('-') {
            self.fds.close(number);
        }
        Ok(())
    }
}
