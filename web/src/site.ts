// The formulas of the documentation: every element of the class "math" holds LaTeX and is set as MathML.
import {math} from './math';

for (const element of document.querySelectorAll('.math')) element.replaceWith(math(element.textContent ?? '', element.tagName === 'DIV'));
