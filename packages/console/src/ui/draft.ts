import { useState } from 'react'

/** What a form holds before it is saved, and how it differs from what stands. */
export function useDraft<Values extends object>(stands: Values) {
  const [changes, setChanges] = useState<Partial<Values>>({})
  const patch = Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(stands[name as keyof Values]),
    ),
  ) as Partial<Values>
  return {
    draft: { ...stands, ...changes },
    /** What is to be saved: the fields that are not as they stand. */
    patch,
    changed: Object.keys(patch).length > 0,
    set<Name extends keyof Values>(name: Name, value: Values[Name]) {
      setChanges((before) => ({ ...before, [name]: value }))
    },
    reset: () => setChanges({}),
  }
}
