//! Arithmetic in whole numbers of 64 bits that wrap around, as in other shells.

use brush_parser::arithmetic;
use brush_parser::ast::{
    ArithmeticExpr as Expr, ArithmeticTarget as Target, BinaryOperator as Binary,
    UnaryAssignmentOperator as Step1, UnaryOperator as Unary,
};

use crate::shell::{ShellFlow, ShellState};

/// How deep variables may stand for expressions that name variables.
const MAX_DEPTH: u32 = 32;

impl ShellState {
    /// The value of an expression as it is written.
    pub(crate) async fn arithmetic(&mut self, source: &str) -> Result<i64, ShellFlow> {
        let text = self.expand_quoted(source).await?;
        match self.evaluate(&text, 0) {
            Ok(value) => Ok(value),
            Err(why) => {
                self.complain(&format!("shell: {}: {why}", text.trim())).await;
                Err(ShellFlow::Exit(1))
            }
        }
    }

    fn evaluate(&mut self, text: &str, depth: u32) -> Result<i64, String> {
        if text.trim().is_empty() {
            return Ok(0);
        }
        if depth > MAX_DEPTH {
            return Err("expression recursion level exceeded".to_owned());
        }
        let expr = arithmetic::parse(text).map_err(|_| "arithmetic syntax error".to_owned())?;
        self.value(&expr, depth)
    }

    fn value(&mut self, expr: &Expr, depth: u32) -> Result<i64, String> {
        match expr {
            Expr::Literal(number) => Ok(*number),
            Expr::Reference(target) => self.load(target, depth),
            Expr::UnaryOp(operator, inner) => {
                let value = self.value(inner, depth)?;
                Ok(match operator {
                    Unary::UnaryPlus => value,
                    Unary::UnaryMinus => value.wrapping_neg(),
                    Unary::BitwiseNot => !value,
                    Unary::LogicalNot => i64::from(value == 0),
                })
            }
            Expr::BinaryOp(Binary::LogicalAnd, left, right) => {
                Ok(i64::from(self.value(left, depth)? != 0 && self.value(right, depth)? != 0))
            }
            Expr::BinaryOp(Binary::LogicalOr, left, right) => {
                Ok(i64::from(self.value(left, depth)? != 0 || self.value(right, depth)? != 0))
            }
            Expr::BinaryOp(operator, left, right) => {
                let (left, right) = (self.value(left, depth)?, self.value(right, depth)?);
                compute(operator, left, right)
            }
            Expr::Conditional(condition, yes, no) => {
                let branch = if self.value(condition, depth)? != 0 { yes } else { no };
                self.value(branch, depth)
            }
            Expr::Assignment(target, inner) => {
                let value = self.value(inner, depth)?;
                self.store(target, value, depth)
            }
            Expr::BinaryAssignment(operator, target, inner) => {
                let (left, right) = (self.load(target, depth)?, self.value(inner, depth)?);
                let value = compute(operator, left, right)?;
                self.store(target, value, depth)
            }
            Expr::UnaryAssignment(operator, target) => {
                let before = self.load(target, depth)?;
                let (after, result) = match operator {
                    Step1::PrefixIncrement => (before.wrapping_add(1), before.wrapping_add(1)),
                    Step1::PrefixDecrement => (before.wrapping_sub(1), before.wrapping_sub(1)),
                    Step1::PostfixIncrement => (before.wrapping_add(1), before),
                    Step1::PostfixDecrement => (before.wrapping_sub(1), before),
                };
                self.store(target, after, depth)?;
                Ok(result)
            }
        }
    }

    fn load(&mut self, target: &Target, depth: u32) -> Result<i64, String> {
        let text = match target {
            Target::Variable(name) => match self.special(name) {
                Some(text) => Some(text),
                None => self.vars.text(name),
            },
            Target::ArrayElement(name, index) => {
                let index = self.value(index, depth)?;
                self.vars.element(name, index).or_else(|| self.vars.member(name, &index.to_string()))
            }
        };
        let Some(text) = text else {
            if let (true, Target::Variable(name)) = (self.options.nounset, target) {
                return Err(format!("{name}: unbound variable"));
            }
            return Ok(0);
        };
        match text.trim().parse() {
            Ok(number) if !text.trim().starts_with('0') || text.trim() == "0" => Ok(number),
            _ => self.evaluate(&text, depth + 1),
        }
    }

    fn store(&mut self, target: &Target, value: i64, depth: u32) -> Result<i64, String> {
        let (Target::Variable(name) | Target::ArrayElement(name, _)) = target;
        if self.vars.is_readonly(name) {
            return Err(format!("{name}: readonly variable"));
        }
        match target {
            Target::Variable(name) => self.vars.set_text(name, value.to_string()),
            Target::ArrayElement(name, index) => {
                let index = self.value(index, depth)?;
                self.vars.set_element(name, index, value.to_string())?;
            }
        }
        Ok(value)
    }
}

fn compute(operator: &Binary, left: i64, right: i64) -> Result<i64, String> {
    let shift = u32::try_from(right & 63).unwrap_or(0);
    Ok(match operator {
        Binary::Power => {
            let exponent = u32::try_from(right).map_err(|_| "exponent less than 0".to_owned())?;
            left.wrapping_pow(exponent)
        }
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide | Binary::Modulo if right == 0 => return Err("division by 0".to_owned()),
        Binary::Divide => left.wrapping_div(right),
        Binary::Modulo => left.wrapping_rem(right),
        Binary::Comma => right,
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::ShiftLeft => left.wrapping_shl(shift),
        Binary::ShiftRight => left.wrapping_shr(shift),
        Binary::LessThan => i64::from(left < right),
        Binary::LessThanOrEqualTo => i64::from(left <= right),
        Binary::GreaterThan => i64::from(left > right),
        Binary::GreaterThanOrEqualTo => i64::from(left >= right),
        Binary::Equals => i64::from(left == right),
        Binary::NotEquals => i64::from(left != right),
        Binary::BitwiseAnd => left & right,
        Binary::BitwiseXor => left ^ right,
        Binary::BitwiseOr => left | right,
        Binary::LogicalAnd => i64::from(left != 0 && right != 0),
        Binary::LogicalOr => i64::from(left != 0 || right != 0),
    })
}
