/** A request of the page to the frame that draws diagrams. */
export interface DrawDiagram {
  id: number;
  /** The text of the diagram, in Mermaid's language. */
  code: string;
  dark: boolean;
}

/**
 * A drawn diagram, or why it could not be drawn. Sizes are in px. `title` is '' if the diagram has none; `type` is
 * Mermaid's name for the kind of diagram.
 */
export type DrawnDiagram =
  | { kind: 'picture'; svg: string; width: number; height: number; title: string; type: string }
  | { kind: 'problem'; message: string };

/** The frame's answer. */
export interface DiagramMessage {
  id: number;
  drawn: DrawnDiagram;
}
