//! Chooses the next token: the likeliest one that the grammar admits, or a random one from a seed.
//! Grammars are built in `grammar/mod.rs`, and logits computed in `engine.rs`. The random numbers
//! are our own, so that a seed gives the same ones on every machine.

use llguidance::{Matcher, ParserFactory, api::TopLevelGrammar};

use crate::{
    ReplyGrammar,
    wire::{GenerateTask, GenerationError, NoToolThreshold},
};

/// The next token of a reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TokenChoice {
    Token(u32),
    /// The reply is complete.
    End,
}

/// Access to the vocabulary.
pub(super) trait TokenVocabulary {
    /// Whether the token ends a reply.
    fn ends(&self, token: u32) -> bool;
    /// The bytes of a token.
    fn piece(&self, token: u32) -> Vec<u8>;
}

/// Chooses the tokens of one reply.
pub(super) struct TokenSampler {
    matcher: Option<Matcher>,
    /// Checked for the first token only.
    doubt: Option<(NoToolThreshold, Matcher)>,
    temperature: Option<f64>,
    random: SplitMixRandom,
}

impl TokenSampler {
    pub(super) fn new(factory: &ParserFactory, write: &GenerateTask) -> Result<Self, GenerationError> {
        let matcher = write.grammar.as_ref().map(|grammar| compile(factory, grammar)).transpose()?;
        let doubt = match &write.doubt {
            Some(doubt) => Some((doubt.clone(), compile(factory, &doubt.instead)?)),
            None => None,
        };
        let temperature = write.temperature_milli.filter(|milli| *milli > 0);
        let temperature = temperature.map(|milli| f64::from(milli) / 1000.0);
        Ok(Self { matcher, doubt, temperature, random: SplitMixRandom(u64::from(write.seed)) })
    }

    /// Chooses a token by the logits of all tokens.
    pub(super) fn choose(
        &mut self,
        logits: &[f32],
        words: &impl TokenVocabulary,
    ) -> Result<TokenChoice, GenerationError> {
        if let Some((doubt, instead)) = self.doubt.take()
            && is_doubtful(&doubt, logits, words)
        {
            self.matcher = Some(instead);
        }
        let token = match self.temperature {
            None => self.likeliest(logits, words)?,
            Some(temperature) => self.drawn(logits, temperature)?,
        };
        let Some(token) = token else { return Ok(TokenChoice::End) };
        if words.ends(token) {
            return Ok(TokenChoice::End);
        }
        if let Some(matcher) = &mut self.matcher {
            matcher.consume_token(token).map_err(|error| GenerationError::Grammar(error.to_string()))?;
        }
        Ok(TokenChoice::Token(token))
    }

    /// Whether the grammar is complete, so that no token can follow.
    pub(super) fn is_whole(&self) -> bool {
        self.matcher.as_ref().is_some_and(Matcher::is_stopped)
    }

    /// Usually the grammar admits the model's own choice, and checking that one token is much
    /// cheaper than checking all.
    fn likeliest(
        &mut self,
        logits: &[f32],
        words: &impl TokenVocabulary,
    ) -> Result<Option<u32>, GenerationError> {
        let best = argmax(logits, |_| true);
        let (Some(token), Some(matcher)) = (best, self.matcher.as_mut()) else { return Ok(best) };
        let broken = |error: &dyn std::fmt::Display| GenerationError::Grammar(error.to_string());
        let admitted = if words.ends(token) {
            matcher.is_accepting().map_err(|error| broken(&error))?
        } else {
            matcher.validate_tokens(&[token]).map_err(|error| broken(&error))? == 1
        };
        if admitted {
            return Ok(best);
        }
        let mask = matcher.compute_mask_or_eos().map_err(|error| broken(&error))?;
        Ok(argmax(logits, |token| mask.is_allowed(token)))
    }

    fn drawn(&mut self, logits: &[f32], temperature: f64) -> Result<Option<u32>, GenerationError> {
        let mask = match &mut self.matcher {
            Some(matcher) => {
                let mask = matcher.compute_mask_or_eos();
                Some(mask.map_err(|error| GenerationError::Grammar(error.to_string()))?)
            }
            None => None,
        };
        let admitted = |token: u32| mask.as_ref().is_none_or(|mask| mask.is_allowed(token));
        let Some(best) = argmax(logits, admitted) else { return Ok(None) };
        let top = f64::from(at(logits, best));
        let weight = |token: u32| ((f64::from(at(logits, token)) - top) / temperature).exp();
        let tokens = || {
            (0..logits.len()).filter_map(|token| u32::try_from(token).ok()).filter(|token| admitted(*token))
        };
        let sum: f64 = tokens().map(weight).filter(|weight| weight.is_finite()).sum();
        let mut left = self.random.fraction() * sum;
        for token in tokens() {
            left -= Some(weight(token)).filter(|weight| weight.is_finite()).unwrap_or(0.0);
            if left <= 0.0 {
                return Ok(Some(token));
            }
        }
        // Rounding may leave a small remainder.
        Ok(Some(best))
    }
}

fn compile(factory: &ParserFactory, grammar: &ReplyGrammar) -> Result<Matcher, GenerationError> {
    let parse = |text: &str| factory.create_parser(TopLevelGrammar::from_lark(text.to_owned()));
    let parser = parse(grammar.as_str()).or_else(|_| parse(grammar.loose()));
    let parser = parser.map_err(|error| GenerationError::Grammar(error.to_string()))?;
    let matcher = Matcher::new(Ok(parser));
    match matcher.get_error() {
        None => Ok(matcher),
        Some(error) => Err(GenerationError::Grammar(error)),
    }
}

/// Whether the likeliest first token begins the reply in doubt, and is not likely enough.
fn is_doubtful(doubt: &NoToolThreshold, logits: &[f32], words: &impl TokenVocabulary) -> bool {
    let Some(best) = argmax(logits, |_| true) else { return false };
    let token_bytes = words.piece(best);
    let opens = !token_bytes.is_empty() && doubt.opening.as_bytes().starts_with(&token_bytes);
    opens && likelihood(logits, best) * 1000.0 < f64::from(doubt.believed_from_milli)
}

fn likelihood(logits: &[f32], token: u32) -> f64 {
    let top = f64::from(at(logits, token));
    let weight = |logit: &f32| (f64::from(*logit) - top).exp();
    1.0 / logits.iter().map(weight).filter(|weight| weight.is_finite()).sum::<f64>().max(f64::MIN_POSITIVE)
}

fn argmax(logits: &[f32], admitted: impl Fn(u32) -> bool) -> Option<u32> {
    let mut best: Option<(u32, f32)> = None;
    for (token, logit) in (0_u32..).zip(logits) {
        // The comparison of logits comes first, because it is cheap and rarely true.
        if best.is_none_or(|(_, top)| *logit > top) && !logit.is_nan() && admitted(token) {
            best = Some((token, *logit));
        }
    }
    best.map(|(token, _)| token)
}

fn at(logits: &[f32], token: u32) -> f32 {
    usize::try_from(token).ok().and_then(|token| logits.get(token)).copied().unwrap_or(f32::NEG_INFINITY)
}

/// `SplitMix64`: the same numbers from the same seed on every machine.
struct SplitMixRandom(u64);

impl SplitMixRandom {
    /// A number from 0 up to, but not including, 1.
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = u32::try_from((z ^ (z >> 31)) >> 32).unwrap_or_default();
        f64::from(high) / (f64::from(u32::MAX) + 1.0)
    }
}

#[cfg(test)]
mod tests;
