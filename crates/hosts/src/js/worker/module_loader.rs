//! Finding and loading modules: what the checker, the compiler and the isolates do each in their
//! own way, behind the interface of the engine.

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Module, Runtime};

/// One way to find and load modules. Clones share their state.
pub(super) trait ModuleLoader: Clone {
    /// The name of the module that an import statement in `base` means.
    fn find(&self, base: &str, specifier: &str) -> Result<String, Error>;

    /// Declares a module that was found.
    fn declare<'js>(&self, ctx: &Ctx<'js>, name: &str) -> Result<Module<'js, Declared>, Error>;
}

/// Every import of the runtime goes this way.
pub(super) fn set_modules(runtime: &Runtime, loader: &(impl ModuleLoader + Send + 'static)) {
    runtime.set_loader(Hook(loader.clone()), Hook(loader.clone()));
}

struct Hook<L>(L);

impl<L: ModuleLoader> Resolver for Hook<L> {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        base: &str,
        specifier: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<String, Error> {
        self.0.find(base, specifier)
    }
}

impl<L: ModuleLoader> Loader for Hook<L> {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>, Error> {
        self.0.declare(ctx, name)
    }
}
