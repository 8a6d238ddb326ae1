import { useState } from 'react'

/** The unsaved values of a form, and how they differ from the saved ones. */
export function useDraft<Values extends object>(stands: Values) {
  const [changes, setChanges] = useState<Partial<Values>>({})
  const patch = Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(stands[name as keyof Values]),
    ),
  ) as Partial<Values>
  return {
    draft: { ...stands, ...changes },
    /** The fields that differ from the saved ones. */
    patch,
    changed: Object.keys(patch).length > 0,
    set<Name extends keyof Values>(name: Name, value: Values[Name]) {
      setChanges((before) => ({ ...before, [name]: value }))
    },
    reset: () => setChanges({}),
  }
}
