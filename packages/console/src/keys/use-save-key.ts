import { change } from '../api/client.ts'
import type { Credential, KeyPatch } from '../api/types.ts'
import { useSaving } from '../ui/form/use-saving.ts'

/** Saves a change of a key. `done`: the text of the success. */
export function useSaveKey(
  organization: number,
  { id }: Credential,
  done: string,
  onSaved: () => void,
) {
  return useSaving({
    request: (body: KeyPatch) => change('PATCH', `/organizations/${organization}/keys/${id}`, body),
    refreshes: [['organization', organization]],
    done,
    onSaved,
  })
}
