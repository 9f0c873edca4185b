// Every format of models.

export { Codec, Decoder, failure, httpFailure, type AwsKeys, type HttpRequest, type Target } from './codec.js';
export { fetchModel, type FetchModelOptions } from './model.js';
export { anthropic } from './anthropic.js';
export { bedrock } from './bedrock.js';
export { cohere } from './cohere.js';
export { gemini } from './gemini.js';
export { ollama } from './ollama.js';
export { openaiChat } from './openai-chat.js';
export { openaiResponses } from './openai-responses.js';
export { load, ready } from '../load.js';
