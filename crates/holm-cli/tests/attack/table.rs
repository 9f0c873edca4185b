//! Prints the outcomes as a table for people.

use std::{collections::BTreeMap, fmt};

use crate::{case::Class, outcome::Outcome};

/// What came of one case and of its twin.
pub(crate) struct Row {
    pub(crate) class: Class,
    pub(crate) id: String,
    pub(crate) tries: String,
    pub(crate) expect: Outcome,
    pub(crate) came: Result<Outcome, String>,
    /// What must come of the twin, and what did.
    pub(crate) twin: Option<(Outcome, Result<Outcome, String>)>,
}

/// All of them, with a line for each class and one for each that came out otherwise.
pub(crate) struct Table(Vec<Row>);

#[derive(Default)]
struct Sum {
    cases: usize,
    held: usize,
    refused: usize,
    asked: usize,
    twins: usize,
    passed: usize,
}

impl Row {
    fn holds(&self) -> bool {
        self.came.as_ref() == Ok(&self.expect)
    }

    fn twin_holds(&self) -> bool {
        self.twin.as_ref().is_none_or(|(expect, came)| came.as_ref() == Ok(expect))
    }
}

impl Table {
    pub(crate) fn new(rows: Vec<Row>) -> Self {
        Self(rows)
    }

    /// Whether everything came out as it must.
    pub(crate) fn is_sound(&self) -> bool {
        self.0.iter().all(|row| row.holds() && row.twin_holds())
    }

    fn sums(&self) -> BTreeMap<Class, Sum> {
        let mut sums: BTreeMap<Class, Sum> = BTreeMap::new();
        for row in &self.0 {
            let sum = sums.entry(row.class).or_default();
            sum.cases += 1;
            sum.held += usize::from(row.holds());
            sum.refused += usize::from(row.came == Ok(Outcome::Refused));
            sum.asked += usize::from(row.came == Ok(Outcome::Asked));
            sum.twins += usize::from(row.twin.is_some());
            sum.passed += usize::from(row.twin.is_some() && row.twin_holds());
        }
        sums
    }
}

impl Sum {
    fn add(&mut self, other: &Self) {
        let Self { cases, held, refused, asked, twins, passed } = other;
        self.cases += cases;
        self.held += held;
        self.refused += refused;
        self.asked += asked;
        self.twins += twins;
        self.passed += passed;
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cases, held, refused, asked, twins, passed } = self;
        write!(f, "{cases} | {held} | {refused} | {asked} | {twins} | {passed}")
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| class | cases | as they must | refused | asked | twins | as they must |")?;
        writeln!(f, "|---|--:|--:|--:|--:|--:|--:|")?;
        let mut all = Sum::default();
        for (class, sum) in self.sums() {
            writeln!(f, "| {} | {sum} |", class.name())?;
            all.add(&sum);
        }
        writeln!(f, "| **all** | {all} |")?;
        let Sum { cases, held, refused, asked, twins, passed } = all;
        writeln!(
            f,
            "\nRESULT attack.cases cases={cases} held={held} refused={refused} asked={asked} twins={twins} allowed={passed}"
        )?;
        for row in self.0.iter().filter(|row| !row.holds()) {
            writeln!(f, "\n{}: {}\n  must be {}, {}", row.id, row.tries, row.expect, told(&row.came))?;
        }
        for row in self.0.iter().filter(|row| !row.twin_holds()) {
            let Some((expect, came)) = &row.twin else { continue };
            writeln!(f, "\n{}: the twin\n  must be {expect}, {}", row.id, told(came))?;
        }
        Ok(())
    }
}

fn told(came: &Result<Outcome, String>) -> String {
    match came {
        Ok(outcome) => format!("is {outcome}"),
        Err(why) => format!("could not be tried: {why}"),
    }
}
