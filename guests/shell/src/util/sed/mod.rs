//! `sed`: addresses, blocks, and the commands s d p q = y a i c n N h H g G x.

mod edit;
mod script;

use super::kit::{UtilityResult, OutputBuffer, UtilityError, inputs, parse};
use super::regexes::RegexDialect;
use crate::shell::ShellState;
use crate::shell::paths::WriteMode;
use edit::{SedEditor, SedPrinting};

pub(super) async fn sed(shell: &mut ShellState, args: &[String]) -> UtilityResult {
    // `-i` may carry an ending for the old file, and never takes the next word.
    let in_place = args.iter().find(|arg| arg.starts_with("-i")).cloned();
    let args: Vec<String> = args.iter().filter(|arg| Some(*arg) != in_place.as_ref()).cloned().collect();
    let (given, mut words) = parse(&args, "nErse:f:uz")?;
    let mut source = Vec::new();
    for (letter, text) in &given.0 {
        match letter {
            'e' => source.push(text.clone()),
            'f' => {
                let bytes = shell.open_read(text)?.read_all().await?;
                source.push(String::from_utf8_lossy(&bytes).into_owned());
            }
            _ => {}
        }
    }
    if source.is_empty() {
        if words.is_empty() {
            return Err(UtilityError::Said("which script".to_owned()));
        }
        source.push(words.remove(0));
    }
    let dialect = if given.has('E') || given.has('r') { RegexDialect::Extended } else { RegexDialect::Basic };
    let script = script::read(&source.join("\n"), dialect)?;
    let printing = if given.has('n') { SedPrinting::Asked } else { SedPrinting::Always };
    let (inputs, failed) = inputs(shell, "sed", &words).await;
    let Some(flag) = in_place else {
        let mut editor = SedEditor::new(&script, printing);
        let mut out = OutputBuffer::of(shell);
        let handles = inputs.into_iter().map(|(_, handle)| handle).collect();
        let status = editor.run(handles, &mut out).await?;
        out.send().await?;
        return Ok(if status == 0 { i32::from(failed) } else { status });
    };
    for (name, handle) in inputs {
        let ending = flag.strip_prefix("-i").unwrap_or_default();
        let before = handle.read_all().await?;
        if !ending.is_empty() {
            shell.open_write(&format!("{name}{ending}"), WriteMode::Replace)?.write(&before).await?;
        }
        let mut editor = SedEditor::new(&script, printing);
        let mut out = OutputBuffer::to_memory();
        editor.run(vec![crate::io::IoHandle::text(before)], &mut out).await?;
        shell.open_write(&name, WriteMode::Replace)?.write(&out.memory()).await?;
    }
    Ok(i32::from(failed))
}
