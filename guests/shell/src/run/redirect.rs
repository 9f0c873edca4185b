//! Redirections: `<`, `>`, `>>`, `2>&1`, here-documents and the like.

use brush_parser::ast::{
    IoFileRedirectKind as Kind, IoFileRedirectTarget as Target, IoRedirect, ProcessSubstitutionKind,
};

use crate::io::Handle;
use crate::shell::paths::{Writing, said};
use crate::shell::{Flow, Shell, Step};

/// Why a redirection did not happen: the shell is left, or the command fails with this text.
enum Failed {
    Flow(Flow),
    Said(String),
}

impl From<Flow> for Failed {
    fn from(flow: Flow) -> Self {
        Self::Flow(flow)
    }
}

impl Shell {
    /// Opens everything in order. The error is how the command ends.
    pub(crate) async fn redirect_all(&mut self, redirects: &[IoRedirect]) -> Result<(), Step> {
        for redirect in redirects {
            match self.redirect(redirect).await {
                Ok(()) => {}
                Err(Failed::Flow(flow)) => return Err(Err(flow)),
                Err(Failed::Said(text)) => {
                    self.complain(&format!("shell: {text}")).await;
                    return Err(Ok(1));
                }
            }
        }
        Ok(())
    }

    async fn redirect(&mut self, redirect: &IoRedirect) -> Result<(), Failed> {
        match redirect {
            IoRedirect::File(fd, kind, target) => self.redirect_file(*fd, kind, target).await,
            IoRedirect::HereDocument(fd, document) => {
                let text = if document.requires_expansion {
                    self.expand_quoted(&document.doc.value).await?
                } else {
                    document.doc.value.clone()
                };
                self.fds.set(fd.unwrap_or(0), Handle::text(text.into_bytes()));
                Ok(())
            }
            IoRedirect::HereString(fd, word) => {
                let text = self.expand_text(&word.value).await?;
                self.fds.set(fd.unwrap_or(0), Handle::text(format!("{text}\n").into_bytes()));
                Ok(())
            }
            IoRedirect::OutputAndError(word, append) => {
                let path = self.expand_text(&word.value).await?;
                let how = if *append { Writing::Append } else { Writing::Replace };
                let handle = self.write_to(&path, how)?;
                self.fds.set(1, handle.clone());
                self.fds.set(2, handle);
                Ok(())
            }
        }
    }

    async fn redirect_file(&mut self, fd: Option<i32>, kind: &Kind, target: &Target) -> Result<(), Failed> {
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
                return Err(Failed::Said("nothing can run beside the shell, so there is no >(…)".to_owned()));
            }
        };
        let handle = match kind {
            Kind::Read | Kind::DuplicateInput | Kind::ReadAndWrite => {
                self.open_read(&path).map_err(|error| Failed::Said(format!("{path}: {}", said(&error))))?
            }
            Kind::Write if self.options.noclobber => self.write_to(&path, Writing::Create)?,
            Kind::Write | Kind::Clobber | Kind::DuplicateOutput => self.write_to(&path, Writing::Replace)?,
            Kind::Append => self.write_to(&path, Writing::Append)?,
        };
        self.fds.set(fd, handle);
        Ok(())
    }

    async fn one_name(&mut self, word: &str) -> Result<String, Failed> {
        let mut names = self.expand_words(word).await?;
        match (names.pop(), names.is_empty()) {
            (Some(name), true) => Ok(name),
            _ => Err(Failed::Said(format!("{word}: ambiguous redirect"))),
        }
    }

    fn write_to(&self, path: &str, how: Writing) -> Result<Handle, Failed> {
        self.open_write(path, how).map_err(|error| Failed::Said(format!("{path}: {}", said(&error))))
    }

    /// `2>&1`, `2>&-`, and `>&file`, which means both outputs.
    fn duplicate(&mut self, fd: i32, which: &str) -> Result<(), Failed> {
        if which == "-" {
            self.fds.close(fd);
            return Ok(());
        }
        let Ok(number) = which.trim_end_matches('-').parse::<i32>() else {
            let handle = self.write_to(which, Writing::Replace)?;
            self.fds.set(1, handle.clone());
            self.fds.set(2, handle);
            return Ok(());
        };
        let Some(handle) = self.fds.find(number).cloned() else {
            return Err(Failed::Said(format!("{number}: Bad file descriptor")));
        };
        self.fds.set(fd, handle);
        if which.ends_with('-') {
            self.fds.close(number);
        }
        Ok(())
    }
}
