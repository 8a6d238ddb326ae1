import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

// biome-ignore lint/suspicious/noExplicitAny: the properties are those of the component
type Components<Name extends string> = { [name in Name]: ComponentType<any> }

/** A component that is loaded when it is first shown. `load` imports its module. */
export function lazily<Module extends Components<Name>, Name extends string>(
  load: () => Promise<Module>,
  name: Name,
): LazyExoticComponent<Module[Name]> {
  return lazy(async () => ({ default: (await load())[name] }))
}
