//! What our calls are compared with.

use std::process::{Command, Stdio};

use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, Module, PoolingAllocationConfig, Store};
use wasmtime_wasi::p2::bindings::sync::Command as WasiCommand;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use crate::figures::Figures;
use crate::guests;

pub(crate) fn measure(figures: &mut Figures) -> Result<(), Box<dyn std::error::Error>> {
    floor(figures)?;
    let command = guests::command(&guests::hello()?)?;
    figures.take("compile each time", 10, || {
        let engine = Engine::new(&Config::new()).expect("an engine");
        let component = Component::new(&engine, &command).expect("a component");
        run(&engine, &component);
    });
    let engine = Engine::new(&Config::new())?;
    let code = engine.precompile_component(&command)?;
    figures.take("load each time", 1_000, || {
        #[expect(unsafe_code, reason = "the code was compiled two lines above")]
        // SAFETY: as the reason says.
        let component = unsafe { Component::deserialize(&engine, &code) }.expect("a component");
        run(&engine, &component);
    });
    program(figures, "process", "/bin/true", &[]);
    program(figures, "bubblewrap", "bwrap", &["--ro-bind", "/", "/", "--unshare-all", "/bin/true"]);
    program(figures, "python", "python3", &["-c", "pass"]);
    Ok(())
}

/// A fresh instance of an empty module, in a pool.
fn floor(figures: &mut Figures) -> Result<(), Box<dyn std::error::Error>> {
    let mut config = Config::new();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(PoolingAllocationConfig::new()));
    let engine = Engine::new(&config)?;
    let module = Module::new(&engine, wat::parse_str(r#"(module (func (export "run")))"#)?)?;
    let pre = wasmtime::Linker::new(&engine).instantiate_pre(&module)?;
    figures.take("floor", 20_000, || {
        let mut store = Store::new(&engine, ());
        let instance = pre.instantiate(&mut store).expect("an instance");
        let run = instance.get_typed_func::<(), ()>(&mut store, "run").expect("a function");
        run.call(&mut store, ()).expect("an end");
    });
    Ok(())
}

struct State {
    ctx: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.ctx, table: &mut self.table }
    }
}

/// One call with a linker of its own.
fn run(engine: &Engine, component: &Component) {
    let mut linker = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_sync(&mut linker).expect("wasi");
    let output = MemoryOutputPipe::new(1 << 20);
    let ctx = WasiCtx::builder().arg("tool").stdout(output.clone()).build();
    let mut store = Store::new(engine, State { ctx, table: ResourceTable::new() });
    let command = WasiCommand::instantiate(&mut store, component, &linker).expect("an instance");
    command.wasi_cli_run().call_run(&mut store).expect("an end").expect("success");
    assert_eq!(output.contents().len(), 5);
}

fn program(figures: &mut Figures, name: &'static str, program: &str, args: &[&str]) {
    let start = || Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).status();
    if !start().is_ok_and(|status| status.success()) {
        figures.missing(name);
        return;
    }
    figures.take(name, 300, || assert!(start().is_ok_and(|status| status.success())));
}
