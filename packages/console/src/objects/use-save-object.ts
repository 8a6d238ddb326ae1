import { useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { FleetObject, ObjectPatch } from '../api/types.ts'
import { t } from '../language/text.ts'
import { useSaving } from '../ui/form/use-saving.ts'

/** Saves settings of an object, and has all that shows them ask again. */
export function useSaveObject(organization: number, object: number, onSaved: () => void) {
  const client = useQueryClient()
  return useSaving({
    request: (body: ObjectPatch) =>
      change<FleetObject>('PATCH', `/organizations/${organization}/objects/${object}`, body),
    refreshes: [['organization', organization, 'objects'], ['audit']],
    done: ({ name }) => t('{{name}} was saved.', { name }),
    onAnswer: (saved) =>
      client.setQueryData(['organization', organization, 'object', object], saved),
    onSaved,
  })
}
