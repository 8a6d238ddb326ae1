import { type ReactNode, Suspense, useEffect } from 'react'
import { t } from '../../language/text.ts'
import { toast } from '../toast/Toast.tsx'
import { LoadFailure } from './LoadFailure.tsx'

/** A dialog or a menu that is loaded when it is opened. The page stays if that fails, with all that was typed. */
export function Late({ children, fallback }: { children: ReactNode; fallback?: ReactNode }) {
  return (
    <LoadFailure failed={<NotLoaded>{fallback}</NotLoaded>}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </LoadFailure>
  )
}

function NotLoaded({ children }: { children: ReactNode }) {
  useEffect(() => toast(t('This part could not be loaded. Reload the page.')), [])
  return children
}
