function checkAddress(text) {
  const rule = new RegExp("^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "i");
  return text.length <= 254 && rule.test(text);
}

// Returns a message for the support queue.
export function contactMessage({ from, subject, text }) {
  if (!checkAddress(from)) throw new Error("the sender needs a valid e-mail address");
  return { replyTo: from, subject: subject || "no subject", text };
}
