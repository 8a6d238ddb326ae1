import { useState } from 'react'
import { GRANT_RULES } from '../../../server/src/base/domain/credential.ts'
import type { Credential, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { Form } from '../ui/form/Form.tsx'
import { GrantFields } from './GrantFields.tsx'
import { grantDraftOf, grantIn, isGranted } from './grant.ts'
import { useSaveKey } from './saving.ts'

type ChangeGrantProps = {
  organization: OrganizationSummary
  credential: Credential
  onClose: () => void
}

export function ChangeGrant({ organization, credential, onClose }: ChangeGrantProps) {
  const [draft, setDraft] = useState(() => grantDraftOf(credential))
  const [tried, setTried] = useState(false)
  const isNeeded = organization.keys_need_purpose && credential.scenario === null
  const save = useSaveKey(
    organization.id,
    credential,
    t('The recipient of {{name}} was changed.', { name: credential.name }),
    onClose,
  )
  return (
    <Dialog
      title={t('Change the recipient of {{name}}', { name: credential.name })}
      onClose={onClose}
    >
      <Form
        error={save.error}
        rules={GRANT_RULES}
        onSubmit={() => {
          setTried(true)
          if ((isGranted(draft) || !isNeeded) && !save.isPending) save.mutate(grantIn(draft))
        }}
      >
        <GrantFields
          organization={organization}
          draft={draft}
          onChange={setDraft}
          isNeeded={isNeeded}
          tried={tried}
        />
        <p className="soft small">
          {t(
            'The change applies to data that is given out from now on. Earlier data stays listed under the old recipient and purpose.',
          )}
        </p>
        <SubmitOrCancel action={t('Save recipient')} isBusy={save.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}
