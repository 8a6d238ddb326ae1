/** Compiles and links a program. The sources are the console's own, so an error is a bug here. */
export function createProgram(
  gl: WebGL2RenderingContext,
  vertex: string,
  fragment: string,
): WebGLProgram {
  const program = gl.createProgram()
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind)!
    gl.shaderSource(shader, source)
    gl.compileShader(shader)
    gl.attachShader(program, shader)
    gl.deleteShader(shader)
  }
  gl.linkProgram(program)
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(`The shaders do not link: ${gl.getProgramInfoLog(program)}`)
  }
  return program
}

/** Uniforms by name, each looked up once. */
export function uniformsOf<Name extends string>(
  gl: WebGL2RenderingContext,
  program: WebGLProgram,
  names: readonly Name[],
): Record<Name, WebGLUniformLocation | null> {
  return Object.fromEntries(
    names.map((name) => [name, gl.getUniformLocation(program, name)]),
  ) as Record<Name, WebGLUniformLocation | null>
}

/** A column of `count` floats: the float at `offset` of each row of `stride` floats. */
export function column(
  gl: WebGL2RenderingContext,
  location: number,
  count: number,
  stride: number,
  offset: number,
): void {
  gl.enableVertexAttribArray(location)
  gl.vertexAttribPointer(location, count, gl.FLOAT, false, stride * 4, offset * 4)
}

/** Draws what follows with this program. */
export function choose(gl: WebGL2RenderingContext, program: WebGLProgram): void {
  // biome-ignore lint/correctness/useHookAtTopLevel: WebGL has a function of this name, too
  gl.useProgram(program)
}
