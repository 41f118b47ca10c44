/**
 * Lets node:test find its current test in an AsyncLocalStorage. By itself it follows every promise of the process with an async hook, and
 * an `await` then takes thirty times as long. Loaded before each test file, and so before node:test.
 */
import type { AsyncResource as Resource, HookCallbacks } from 'node:async_hooks';

const hooks = process.getBuiltinModule('node:async_hooks');
const { AsyncResource, executionAsyncId } = hooks;
const { runInAsyncScope } = AsyncResource.prototype;
const current = new hooks.AsyncLocalStorage<number>();
/** With this callback node:test notes the ids of its tests. */
let noteTest: HookCallbacks['init'];

/** A test, a suite and a hook of node:test have subtests, and no other resource does. */
const isTest = (resource: Resource): boolean => 'subtests' in resource;

hooks.createHook = ({ init }) => {
  noteTest = init;
  const unused = { enable: () => unused, disable: () => unused };
  return unused as ReturnType<typeof hooks.createHook>;
};
hooks.executionAsyncId = () => current.getStore() ?? executionAsyncId();
AsyncResource.prototype.runInAsyncScope = function (scoped, thisArg, ...args) {
  const run = (work: typeof scoped): ReturnType<typeof scoped> =>
    runInAsyncScope.call(this, work as never, thisArg, ...args) as ReturnType<typeof scoped>;
  if (!isTest(this)) return run(scoped);
  const id = this.asyncId();
  noteTest?.(id, 'Test', 0, this);
  return run(function (this: typeof thisArg, ...given) {
    return current.run(id, () => scoped.apply(this as never, given));
  });
};
