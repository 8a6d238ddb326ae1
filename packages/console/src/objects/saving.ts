import { useMutation, useQueryClient } from '@tanstack/react-query'
import { change } from '../api/client.ts'
import type { FleetObject, ObjectPatch } from '../api/types.ts'
import { t } from '../language/text.ts'
import { toast } from '../ui/dialog/Toast.tsx'

/** Saves settings of an object, and has all that shows them ask again. */
export function useSaveObject(organization: number, object: number, onSaved: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ObjectPatch) =>
      change<FleetObject>('PATCH', `/organizations/${organization}/objects/${object}`, body),
    onSuccess: async (saved) => {
      client.setQueryData(['organization', organization, 'object', object], saved)
      await Promise.all([
        client.invalidateQueries({ queryKey: ['organization', organization, 'objects'] }),
        client.invalidateQueries({ queryKey: ['audit'] }),
      ])
      onSaved()
      toast(t('{{name}} was saved.', { name: saved.name }))
    },
  })
}
