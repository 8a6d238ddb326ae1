import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ASSIGNMENT_RULES } from '../../../server/src/base/domain/routing.ts'
import { change } from '../api/client.ts'
import type { Assignment, OwnedIdent } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { optionsOf, SelectField, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { PickOrganizations } from './PickOrganizations.tsx'

type IfOwned = NonNullable<Assignment['if_owned']>

const IF_OWNED = optionsOf<IfOwned>({
  refuse: t('Change nothing'),
  share: t('Share it: all get its positions'),
  move: t('Move it: the former owner keeps its object'),
})

/** Gives an ident to organizations. `ident`: empty if the operator types it. */
export function AssignIdent({ ident: given, onClose }: { ident: string; onClose: () => void }) {
  const client = useQueryClient()
  const [ident, setIdent] = useState(given)
  const [chosen, setChosen] = useState<string[]>([])
  const [ifOwned, setIfOwned] = useState<IfOwned>('refuse')
  const [tried, setTried] = useState(false)
  const assign = useMutation({
    mutationFn: (body: Assignment) => change<OwnedIdent>('POST', '/routing/assign', body),
    onSuccess: async ({ was_unknown }) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: ['routing'] }),
        client.invalidateQueries({ queryKey: ['organizations'] }),
      ])
      const assigned = { ident: ident.trim() }
      toast(
        was_unknown
          ? t('{{ident}} was assigned. No tracker has sent it yet: check the spelling.', assigned)
          : t('{{ident}} was assigned.', assigned),
      )
      onClose()
    },
  })
  const isMissing = ident.trim() === ''
  return (
    <Dialog
      title={given === '' ? t('Assign an ident') : t('Assign {{given}}', { given })}
      onClose={onClose}
    >
      <Form
        error={assign.error}
        rules={ASSIGNMENT_RULES}
        onSubmit={() => {
          setTried(true)
          if (isMissing || chosen.length === 0 || assign.isPending) return
          assign.mutate({
            ident: ident.trim(),
            organizations: chosen.map(Number),
            if_owned: ifOwned,
          })
        }}
      >
        {given === '' && (
          <TextField
            label={t('Ident')}
            name="ident"
            autoFocus
            value={ident}
            onChange={setIdent}
            error={tried && isMissing ? t('Enter the ident.') : undefined}
          />
        )}
        <PickOrganizations chosen={chosen} onChange={setChosen} tried={tried} />
        <SelectField
          label={t('If another organization owns it')}
          name="if_owned"
          options={IF_OWNED}
          value={ifOwned}
          onChange={setIfOwned}
          help={t('Each organization gets an object of the ident, unless it has one.')}
        />
        <SubmitOrCancel action={t('Assign')} isBusy={assign.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
