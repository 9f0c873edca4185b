// workerd and its bundlers give the module itself.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
