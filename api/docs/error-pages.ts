import { readFileSync } from 'node:fs';
import { PROBLEMS, type ProblemCode } from '../problems/codes.ts';
import { escapeHtml, htmlPage } from './html.ts';

/**
 * The pages that the `type` of a problem points to, made of `docs/errors.md`: a section a code, of paragraphs and lists.
 * @throws when a code has no section, so that no server runs whose problems lead nowhere.
 */
export function loadErrorPages(): ReadonlyMap<ProblemCode, string> {
  const sections = sectionsOf(readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8'));
  const codes = Object.keys(PROBLEMS) as ProblemCode[];
  return new Map(codes.map((code) => [code, errorPage(code, sections.get(code))]));
}

function sectionsOf(markdown: string): Map<string, string> {
  const parts = markdown.split(/^## /m).slice(1);
  return new Map(
    parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part.slice(part.indexOf('\n')).trim()]),
  );
}

function errorPage(code: ProblemCode, section: string | undefined): string {
  if (!section) throw new Error(`docs/errors.md has no section for ${code}`);
  const { status, title } = PROBLEMS[code];
  const heading = `<h1><code>${code}</code></h1>\n<p><strong>${status}</strong> ${escapeHtml(title)}</p>`;
  return htmlPage(
    `${code}: ${title}`,
    `${heading}\n${section
      .split(/\n{2,}/)
      .map(block)
      .join('\n')}\n<p><a href="/docs/">API reference</a></p>`,
  );
}

function block(text: string): string {
  if (!text.startsWith('* ')) return `<p>${inline(text)}</p>`;
  const items = text.slice(2).split(/\n\* /);
  return `<ul>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`;
}

function inline(text: string): string {
  return escapeHtml(text.replaceAll(/\s+/g, ' ')).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
