//! Assignments: texts, elements, lists and maps, with `=` and `+=`.

use std::collections::BTreeMap;

use brush_parser::ast::{Assignment, AssignmentName, AssignmentValue, Word};

use crate::shell::{ShellFlow, ShellState, VariableValue};

impl ShellState {
    pub(crate) async fn assign(&mut self, assignment: &Assignment) -> Result<(), ShellFlow> {
        let (AssignmentName::VariableName(name) | AssignmentName::ArrayElementName(name, _)) =
            &assignment.name;
        if self.vars.is_readonly(name) {
            self.complain(&format!("shell: {name}: readonly variable")).await;
            return Err(ShellFlow::Exit(1));
        }
        match (&assignment.name, &assignment.value) {
            (AssignmentName::VariableName(name), AssignmentValue::Scalar(word)) => {
                let text = self.assigned_text(word).await?;
                let before = if assignment.append { self.vars.text(name) } else { None };
                let text = self.combine(name, before, text).await?;
                self.vars.set_text(name, text);
            }
            (AssignmentName::ArrayElementName(name, index), AssignmentValue::Scalar(word)) => {
                let text = self.assigned_text(word).await?;
                self.assign_element(name, index, text, assignment.append).await?;
            }
            (_, AssignmentValue::Array(items)) => self.assign_list(name, items, assignment.append).await?,
        }
        if self.options.allexport {
            self.vars.entry(name).exported = true;
        }
        Ok(())
    }

    async fn assigned_text(&mut self, word: &Word) -> Result<String, ShellFlow> {
        self.expand_text(&word.value).await
    }

    /// The new text of a variable; integers are computed, the others joined.
    async fn combine(&mut self, name: &str, before: Option<String>, text: String) -> Result<String, ShellFlow> {
        if self.vars.find(name).is_some_and(|var| var.integer) {
            let expr = before.map_or_else(|| text.clone(), |before| format!("({before})+({text})"));
            return Ok(self.arithmetic(&expr).await?.to_string());
        }
        Ok(before.unwrap_or_default() + &text)
    }

    async fn assign_element(
        &mut self,
        name: &str,
        index: &str,
        text: String,
        append: bool,
    ) -> Result<(), ShellFlow> {
        if self.vars.is_map(name) {
            let key = self.expand_text(index).await?;
            let before = if append { self.vars.member(name, &key) } else { None };
            self.vars.set_member(name, &key, before.unwrap_or_default() + &text);
            return Ok(());
        }
        let index = self.arithmetic(index).await?;
        let before = if append { self.vars.element(name, index) } else { None };
        let text = self.combine(name, before, text).await?;
        if let Err(why) = self.vars.set_element(name, index, text) {
            self.complain(&format!("shell: {why}")).await;
            return Err(ShellFlow::Exit(1));
        }
        Ok(())
    }

    async fn assign_list(
        &mut self,
        name: &str,
        items: &[(Option<Word>, Word)],
        append: bool,
    ) -> Result<(), ShellFlow> {
        if self.vars.is_map(name) {
            if !append {
                self.vars.set(name, VariableValue::Map(BTreeMap::new()));
            }
            for (key, word) in items {
                let key = self.expand_text(key.as_ref().map_or("", |key| &key.value)).await?;
                let text = self.assigned_text(word).await?;
                self.vars.set_member(name, &key, text);
            }
            return Ok(());
        }
        let mut list = BTreeMap::new();
        if append {
            list.extend((0..).zip(self.vars.elements(name)));
            if let Some(VariableValue::List(before)) = self.vars.find(name).map(|var| &var.value) {
                list.clone_from(before);
            }
        }
        let mut next = list.keys().next_back().map_or(0, |last| last + 1);
        for (key, word) in items {
            match key {
                Some(key) => {
                    next = self.arithmetic(&key.value).await?;
                    list.insert(next, self.assigned_text(word).await?);
                    next += 1;
                }
                None => {
                    for text in self.expand_words(&word.value).await? {
                        list.insert(next, text);
                        next += 1;
                    }
                }
            }
        }
        self.vars.set(name, VariableValue::List(list));
        Ok(())
    }
}
