// A tool for Holm: a component of the world holm:tool. It takes JSON and gives text.

export const description = {
  describe() {
    return JSON.stringify({
      name: "NAME",
      description: "Greets somebody.",
      keywords: ["greeting", "hello"],
      schema: {
        type: "object",
        properties: {
          who: { type: "string", description: "Who is greeted" },
          loud: { type: "boolean", description: "With an exclamation mark" },
        },
        required: ["who"],
        additionalProperties: false,
      },
    });
  },
};

export const call = {
  run(input) {
    const { who, loud } = JSON.parse(input);
    // Throwing a text makes the call fail with that text.
    if (who.trim() === "") throw "say who is greeted";
    return `Hello, ${who}${loud ? "!" : "."}`;
  },
};
