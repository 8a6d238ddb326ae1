import { useState } from 'react'
import { useUnsaved } from '../page/navigation.ts'

/** The values that the fields of a form show, and the change of one of them. */
export type DraftFields<Values> = {
  draft: Values
  set<Name extends keyof Values>(name: Name, value: Values[Name]): void
}

/** The unsaved values of a form, and how they differ from the saved ones. The page asks before it loses them. */
export function useDraft<Values extends object>(stands: Values) {
  const [changes, setChanges] = useState<Partial<Values>>({})
  const patch = Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(stands[name as keyof Values]),
    ),
  ) as Partial<Values>
  const changed = Object.keys(patch).length > 0
  useUnsaved(changed)
  return {
    draft: { ...stands, ...changes },
    /** The fields that differ from the saved ones. */
    patch,
    changed,
    set<Name extends keyof Values>(name: Name, value: Values[Name]) {
      setChanges((before) => ({ ...before, [name]: value }))
    },
    reset: () => setChanges({}),
  }
}
