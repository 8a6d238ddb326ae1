/** The parts of the reference page besides Scalar itself. */

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0f766e"/><path d="M7 22V10h3v12zm15 0V10h3v12zM10 12h12v3H10zm0 5h12v3H10z" fill="#fff"/></svg>`

/** `bundle` and `start` are the paths of the two scripts. */
export function referencePage(bundle: string, start: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Reference of the Fleetgate API: read-only access to the data of a fleet.">
<meta name="color-scheme" content="light dark">
<title>Fleetgate API reference</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
</head>
<body>
<noscript>This page needs JavaScript. The description it shows is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<div id="reference"></div>
<script src="${bundle}"></script>
<script src="${start}"></script>
</body>
</html>
`
}

const STYLE = `
.light-mode, .dark-mode {
  --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  --scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
.light-mode { --scalar-color-accent: #0f766e; --scalar-background-accent: #0f766e14; }
.dark-mode { --scalar-color-accent: #2dd4bf; --scalar-background-accent: #2dd4bf1a; }
.section:focus-visible { outline: none; }
.scalar-code-block pre, .scalar-code-block pre *, .markdown pre, .markdown pre * {
  width: auto !important;
  white-space: pre-wrap !important;
  overflow-wrap: anywhere;
}
`

/** Everything that would contact another host is off. The page's policy would refuse it too. */
const CONFIGURATION = {
  url: '/openapi.json',
  theme: 'default',
  customCss: STYLE,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  modelsSectionLabel: 'Schemas',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}

/**
 * Scalar shows the example of another media type than JSON if an answer has several, so the page leaves the others out.
 * The text of each answer names them.
 */
export const START_SCRIPT = `
async function readDescription(...request) {
  const answer = await fetch(...request)
  if (!answer.ok || !answer.url.endsWith('/openapi.json')) return answer
  const description = await answer.json()
  for (const { get } of Object.values(description.paths)) {
    const success = get.responses[200]
    success.content = { 'application/json': success.content['application/json'] }
  }
  return Response.json(description)
}
const configuration = ${JSON.stringify(CONFIGURATION)}
Scalar.createApiReference('#reference', { ...configuration, fetch: readDescription })
`

/**
 * Only this host, and scripts only from its own files. Scalar sets styles on elements, so inline styles
 * are allowed.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
