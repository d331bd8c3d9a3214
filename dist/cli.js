import { i as __toESM, r as __require, t as __commonJSMin } from "./rolldown-runtime.js";
import { $ as buildReport, At as permanentArchive, Ct as installMissing, Dt as downloadSmall, Et as lacking, Ft as defaultOut, G as fileOfProfiles, Gt as readResultFile, Ht as publishEntry, It as readInputs, J as runGate, Jt as runners, K as joinResults, Kt as serializeResults, Lt as namesUnit, Mt as readAptSites, Nt as optionalGroups, Ot as downloadVerified, Pt as prerequisiteGroups, Q as renderHtml, Rt as groupBy, St as readPins, Tt as checkPrerequisites, Ut as run, Vt as openCache, W as renderText, Wt as runOrThrow, X as writeOutputs, Xt as revisionNames, Y as execInGuest, Yt as clipMiddle, Z as renderMarkdown, _n as MachineError, _t as selectKernels, bn as packageRoot, bt as parseEntries, ct as buildSourceKernel, dt as cachedKernel, et as defaultMemoryMiB, ft as chooseKernels, gn as KernelError, gt as verifyKernel, hn as InterruptedError, ht as listTreeKernels, jt as permanentArchiveHint, kt as archiveRoots, lt as buildTree, mn as InputError, mt as hashFile, nt as verifyBootImage, ot as require_cli_table3, pn as GateError, pt as findUnreadable, q as publishGate, rt as version, st as fetchKernel, tt as renderTiming, ut as packAsset, vn as VmError, vt as compareKernels, wn as toPlainText, wt as requirePrerequisites, xt as readMissing, yn as machineFailure, yt as compareVersions, zt as exitCodeOf } from "./shared.js";
import { once } from "node:events";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
// node_modules/commander/lib/error.js
var require_error = /* @__PURE__ */ __commonJSMin(((exports) => {
	/**
	* CommanderError class
	*/
	var CommanderError = class extends Error {
		/**
		* Constructs the CommanderError class
		* @param {number} exitCode suggested exit code which could be used with process.exit
		* @param {string} code an id string representing the error
		* @param {string} message human-readable description of the error
		*/
		constructor(exitCode, code, message) {
			super(message);
			Error.captureStackTrace(this, this.constructor);
			this.name = this.constructor.name;
			this.code = code;
			this.exitCode = exitCode;
			this.nestedError = void 0;
		}
	};
	/**
	* InvalidArgumentError class
	*/
	var InvalidArgumentError = class extends CommanderError {
		/**
		* Constructs the InvalidArgumentError class
		* @param {string} [message] explanation of why argument is invalid
		*/
		constructor(message) {
			super(1, "commander.invalidArgument", message);
			Error.captureStackTrace(this, this.constructor);
			this.name = this.constructor.name;
		}
	};
	exports.CommanderError = CommanderError;
	exports.InvalidArgumentError = InvalidArgumentError;
}));
// node_modules/commander/lib/argument.js
var require_argument = /* @__PURE__ */ __commonJSMin(((exports) => {
	const { InvalidArgumentError } = require_error();
	var Argument = class {
		/**
		* Initialize a new command argument with the given name and description.
		* The default is that the argument is required, and you can explicitly
		* indicate this with <> around the name. Put [] around the name for an optional argument.
		*
		* @param {string} name
		* @param {string} [description]
		*/
		constructor(name, description) {
			this.description = description || "";
			this.variadic = false;
			this.parseArg = void 0;
			this.defaultValue = void 0;
			this.defaultValueDescription = void 0;
			this.argChoices = void 0;
			switch (name[0]) {
				case "<":
					this.required = true;
					this._name = name.slice(1, -1);
					break;
				case "[":
					this.required = false;
					this._name = name.slice(1, -1);
					break;
				default:
					this.required = true;
					this._name = name;
			}
			if (this._name.endsWith("...")) {
				this.variadic = true;
				this._name = this._name.slice(0, -3);
			}
		}
		/**
		* Return argument name.
		*
		* @return {string}
		*/
		name() {
			return this._name;
		}
		/**
		* @package
		*/
		_collectValue(value, previous) {
			if (previous === this.defaultValue || !Array.isArray(previous)) return [value];
			previous.push(value);
			return previous;
		}
		/**
		* Set the default value, and optionally supply the description to be displayed in the help.
		*
		* @param {*} value
		* @param {string} [description]
		* @return {Argument}
		*/
		default(value, description) {
			this.defaultValue = value;
			this.defaultValueDescription = description;
			return this;
		}
		/**
		* Set the custom handler for processing CLI command arguments into argument values.
		*
		* @param {Function} [fn]
		* @return {Argument}
		*/
		argParser(fn) {
			this.parseArg = fn;
			return this;
		}
		/**
		* Only allow argument value to be one of choices.
		*
		* @param {string[]} values
		* @return {Argument}
		*/
		choices(values) {
			this.argChoices = values.slice();
			this.parseArg = (arg, previous) => {
				if (!this.argChoices.includes(arg)) throw new InvalidArgumentError(`Allowed choices are ${this.argChoices.join(", ")}.`);
				if (this.variadic) return this._collectValue(arg, previous);
				return arg;
			};
			return this;
		}
		/**
		* Make argument required.
		*
		* @returns {Argument}
		*/
		argRequired() {
			this.required = true;
			return this;
		}
		/**
		* Make argument optional.
		*
		* @returns {Argument}
		*/
		argOptional() {
			this.required = false;
			return this;
		}
	};
	/**
	* Takes an argument and returns its human readable equivalent for help usage.
	*
	* @param {Argument} arg
	* @return {string}
	* @private
	*/
	function humanReadableArgName(arg) {
		const nameOutput = arg.name() + (arg.variadic === true ? "..." : "");
		return arg.required ? "<" + nameOutput + ">" : "[" + nameOutput + "]";
	}
	exports.Argument = Argument;
	exports.humanReadableArgName = humanReadableArgName;
}));
// node_modules/commander/lib/help.js
var require_help = /* @__PURE__ */ __commonJSMin(((exports) => {
	const { humanReadableArgName } = require_argument();
	/**
	* TypeScript import types for JSDoc, used by Visual Studio Code IntelliSense and `npm run typescript-checkJS`
	* https://www.typescriptlang.org/docs/handbook/jsdoc-supported-types.html#import-types
	* @typedef { import("./argument.js").Argument } Argument
	* @typedef { import("./command.js").Command } Command
	* @typedef { import("./option.js").Option } Option
	*/
	var Help = class {
		constructor() {
			this.helpWidth = void 0;
			this.minWidthToWrap = 40;
			this.sortSubcommands = false;
			this.sortOptions = false;
			this.showGlobalOptions = false;
		}
		/**
		* prepareContext is called by Commander after applying overrides from `Command.configureHelp()`
		* and just before calling `formatHelp()`.
		*
		* Commander just uses the helpWidth and the rest is provided for optional use by more complex subclasses.
		*
		* @param {{ error?: boolean, helpWidth?: number, outputHasColors?: boolean }} contextOptions
		*/
		prepareContext(contextOptions) {
			this.helpWidth = this.helpWidth ?? contextOptions.helpWidth ?? 80;
		}
		/**
		* Get an array of the visible subcommands. Includes a placeholder for the implicit help command, if there is one.
		*
		* @param {Command} cmd
		* @returns {Command[]}
		*/
		visibleCommands(cmd) {
			const visibleCommands = cmd.commands.filter((cmd) => !cmd._hidden);
			const helpCommand = cmd._getHelpCommand();
			if (helpCommand && !helpCommand._hidden) visibleCommands.push(helpCommand);
			if (this.sortSubcommands) visibleCommands.sort((a, b) => {
				return a.name().localeCompare(b.name());
			});
			return visibleCommands;
		}
		/**
		* Compare options for sort.
		*
		* @param {Option} a
		* @param {Option} b
		* @returns {number}
		*/
		compareOptions(a, b) {
			const getSortKey = (option) => {
				return option.short ? option.short.replace(/^-/, "") : option.long.replace(/^--/, "");
			};
			return getSortKey(a).localeCompare(getSortKey(b));
		}
		/**
		* Get an array of the visible options. Includes a placeholder for the implicit help option, if there is one.
		*
		* @param {Command} cmd
		* @returns {Option[]}
		*/
		visibleOptions(cmd) {
			const visibleOptions = cmd.options.filter((option) => !option.hidden);
			const helpOption = cmd._getHelpOption();
			if (helpOption && !helpOption.hidden) {
				const removeShort = helpOption.short && cmd._findOption(helpOption.short);
				const removeLong = helpOption.long && cmd._findOption(helpOption.long);
				if (!removeShort && !removeLong) visibleOptions.push(helpOption);
				else if (helpOption.long && !removeLong) visibleOptions.push(cmd.createOption(helpOption.long, helpOption.description));
				else if (helpOption.short && !removeShort) visibleOptions.push(cmd.createOption(helpOption.short, helpOption.description));
			}
			if (this.sortOptions) visibleOptions.sort(this.compareOptions);
			return visibleOptions;
		}
		/**
		* Get an array of the visible global options. (Not including help.)
		*
		* @param {Command} cmd
		* @returns {Option[]}
		*/
		visibleGlobalOptions(cmd) {
			if (!this.showGlobalOptions) return [];
			const globalOptions = [];
			for (let ancestorCmd = cmd.parent; ancestorCmd; ancestorCmd = ancestorCmd.parent) {
				const visibleOptions = ancestorCmd.options.filter((option) => !option.hidden);
				globalOptions.push(...visibleOptions);
			}
			if (this.sortOptions) globalOptions.sort(this.compareOptions);
			return globalOptions;
		}
		/**
		* Get an array of the arguments if any have a description.
		*
		* @param {Command} cmd
		* @returns {Argument[]}
		*/
		visibleArguments(cmd) {
			if (cmd._argsDescription) cmd.registeredArguments.forEach((argument) => {
				argument.description = argument.description || cmd._argsDescription[argument.name()] || "";
			});
			if (cmd.registeredArguments.find((argument) => argument.description)) return cmd.registeredArguments;
			return [];
		}
		/**
		* Get the command term to show in the list of subcommands.
		*
		* @param {Command} cmd
		* @returns {string}
		*/
		subcommandTerm(cmd) {
			const args = cmd.registeredArguments.map((arg) => humanReadableArgName(arg)).join(" ");
			return cmd._name + (cmd._aliases[0] ? "|" + cmd._aliases[0] : "") + (cmd.options.length ? " [options]" : "") + (args ? " " + args : "");
		}
		/**
		* Get the option term to show in the list of options.
		*
		* @param {Option} option
		* @returns {string}
		*/
		optionTerm(option) {
			return option.flags;
		}
		/**
		* Get the argument term to show in the list of arguments.
		*
		* @param {Argument} argument
		* @returns {string}
		*/
		argumentTerm(argument) {
			return argument.name();
		}
		/**
		* Get the longest command term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		longestSubcommandTermLength(cmd, helper) {
			return helper.visibleCommands(cmd).reduce((max, command) => {
				return Math.max(max, this.displayWidth(helper.styleSubcommandTerm(helper.subcommandTerm(command))));
			}, 0);
		}
		/**
		* Get the longest option term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		longestOptionTermLength(cmd, helper) {
			return helper.visibleOptions(cmd).reduce((max, option) => {
				return Math.max(max, this.displayWidth(helper.styleOptionTerm(helper.optionTerm(option))));
			}, 0);
		}
		/**
		* Get the longest global option term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		longestGlobalOptionTermLength(cmd, helper) {
			return helper.visibleGlobalOptions(cmd).reduce((max, option) => {
				return Math.max(max, this.displayWidth(helper.styleOptionTerm(helper.optionTerm(option))));
			}, 0);
		}
		/**
		* Get the longest argument term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		longestArgumentTermLength(cmd, helper) {
			return helper.visibleArguments(cmd).reduce((max, argument) => {
				return Math.max(max, this.displayWidth(helper.styleArgumentTerm(helper.argumentTerm(argument))));
			}, 0);
		}
		/**
		* Get the command usage to be displayed at the top of the built-in help.
		*
		* @param {Command} cmd
		* @returns {string}
		*/
		commandUsage(cmd) {
			let cmdName = cmd._name;
			if (cmd._aliases[0]) cmdName = cmdName + "|" + cmd._aliases[0];
			let ancestorCmdNames = "";
			for (let ancestorCmd = cmd.parent; ancestorCmd; ancestorCmd = ancestorCmd.parent) ancestorCmdNames = ancestorCmd.name() + " " + ancestorCmdNames;
			return ancestorCmdNames + cmdName + " " + cmd.usage();
		}
		/**
		* Get the description for the command.
		*
		* @param {Command} cmd
		* @returns {string}
		*/
		commandDescription(cmd) {
			return cmd.description();
		}
		/**
		* Get the subcommand summary to show in the list of subcommands.
		* (Fallback to description for backwards compatibility.)
		*
		* @param {Command} cmd
		* @returns {string}
		*/
		subcommandDescription(cmd) {
			return cmd.summary() || cmd.description();
		}
		/**
		* Get the option description to show in the list of options.
		*
		* @param {Option} option
		* @return {string}
		*/
		optionDescription(option) {
			const extraInfo = [];
			if (option.argChoices) extraInfo.push(`choices: ${option.argChoices.map((choice) => JSON.stringify(choice)).join(", ")}`);
			if (option.defaultValue !== void 0) {
				if (option.required || option.optional || option.isBoolean() && typeof option.defaultValue === "boolean") extraInfo.push(`default: ${option.defaultValueDescription || JSON.stringify(option.defaultValue)}`);
			}
			if (option.presetArg !== void 0 && option.optional) extraInfo.push(`preset: ${JSON.stringify(option.presetArg)}`);
			if (option.envVar !== void 0) extraInfo.push(`env: ${option.envVar}`);
			if (extraInfo.length > 0) {
				const extraDescription = `(${extraInfo.join(", ")})`;
				if (option.description) return `${option.description} ${extraDescription}`;
				return extraDescription;
			}
			return option.description;
		}
		/**
		* Get the argument description to show in the list of arguments.
		*
		* @param {Argument} argument
		* @return {string}
		*/
		argumentDescription(argument) {
			const extraInfo = [];
			if (argument.argChoices) extraInfo.push(`choices: ${argument.argChoices.map((choice) => JSON.stringify(choice)).join(", ")}`);
			if (argument.defaultValue !== void 0) extraInfo.push(`default: ${argument.defaultValueDescription || JSON.stringify(argument.defaultValue)}`);
			if (extraInfo.length > 0) {
				const extraDescription = `(${extraInfo.join(", ")})`;
				if (argument.description) return `${argument.description} ${extraDescription}`;
				return extraDescription;
			}
			return argument.description;
		}
		/**
		* Format a list of items, given a heading and an array of formatted items.
		*
		* @param {string} heading
		* @param {string[]} items
		* @param {Help} helper
		* @returns string[]
		*/
		formatItemList(heading, items, helper) {
			if (items.length === 0) return [];
			return [
				helper.styleTitle(heading),
				...items,
				""
			];
		}
		/**
		* Group items by their help group heading.
		*
		* @param {Command[] | Option[]} unsortedItems
		* @param {Command[] | Option[]} visibleItems
		* @param {Function} getGroup
		* @returns {Map<string, Command[] | Option[]>}
		*/
		groupItems(unsortedItems, visibleItems, getGroup) {
			const result = /* @__PURE__ */ new Map();
			unsortedItems.forEach((item) => {
				const group = getGroup(item);
				if (!result.has(group)) result.set(group, []);
			});
			visibleItems.forEach((item) => {
				const group = getGroup(item);
				if (!result.has(group)) result.set(group, []);
				result.get(group).push(item);
			});
			return result;
		}
		/**
		* Generate the built-in help text.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {string}
		*/
		formatHelp(cmd, helper) {
			const termWidth = helper.padWidth(cmd, helper);
			const helpWidth = helper.helpWidth ?? 80;
			function callFormatItem(term, description) {
				return helper.formatItem(term, termWidth, description, helper);
			}
			let output = [`${helper.styleTitle("Usage:")} ${helper.styleUsage(helper.commandUsage(cmd))}`, ""];
			const commandDescription = helper.commandDescription(cmd);
			if (commandDescription.length > 0) output = output.concat([helper.boxWrap(helper.styleCommandDescription(commandDescription), helpWidth), ""]);
			const argumentList = helper.visibleArguments(cmd).map((argument) => {
				return callFormatItem(helper.styleArgumentTerm(helper.argumentTerm(argument)), helper.styleArgumentDescription(helper.argumentDescription(argument)));
			});
			output = output.concat(this.formatItemList("Arguments:", argumentList, helper));
			this.groupItems(cmd.options, helper.visibleOptions(cmd), (option) => option.helpGroupHeading ?? "Options:").forEach((options, group) => {
				const optionList = options.map((option) => {
					return callFormatItem(helper.styleOptionTerm(helper.optionTerm(option)), helper.styleOptionDescription(helper.optionDescription(option)));
				});
				output = output.concat(this.formatItemList(group, optionList, helper));
			});
			if (helper.showGlobalOptions) {
				const globalOptionList = helper.visibleGlobalOptions(cmd).map((option) => {
					return callFormatItem(helper.styleOptionTerm(helper.optionTerm(option)), helper.styleOptionDescription(helper.optionDescription(option)));
				});
				output = output.concat(this.formatItemList("Global Options:", globalOptionList, helper));
			}
			this.groupItems(cmd.commands, helper.visibleCommands(cmd), (sub) => sub.helpGroup() || "Commands:").forEach((commands, group) => {
				const commandList = commands.map((sub) => {
					return callFormatItem(helper.styleSubcommandTerm(helper.subcommandTerm(sub)), helper.styleSubcommandDescription(helper.subcommandDescription(sub)));
				});
				output = output.concat(this.formatItemList(group, commandList, helper));
			});
			return output.join("\n");
		}
		/**
		* Return display width of string, ignoring ANSI escape sequences. Used in padding and wrapping calculations.
		*
		* @param {string} str
		* @returns {number}
		*/
		displayWidth(str) {
			return stripColor(str).length;
		}
		/**
		* Style the title for displaying in the help. Called with 'Usage:', 'Options:', etc.
		*
		* @param {string} str
		* @returns {string}
		*/
		styleTitle(str) {
			return str;
		}
		styleUsage(str) {
			return str.split(" ").map((word) => {
				if (word === "[options]") return this.styleOptionText(word);
				if (word === "[command]") return this.styleSubcommandText(word);
				if (word[0] === "[" || word[0] === "<") return this.styleArgumentText(word);
				return this.styleCommandText(word);
			}).join(" ");
		}
		styleCommandDescription(str) {
			return this.styleDescriptionText(str);
		}
		styleOptionDescription(str) {
			return this.styleDescriptionText(str);
		}
		styleSubcommandDescription(str) {
			return this.styleDescriptionText(str);
		}
		styleArgumentDescription(str) {
			return this.styleDescriptionText(str);
		}
		styleDescriptionText(str) {
			return str;
		}
		styleOptionTerm(str) {
			return this.styleOptionText(str);
		}
		styleSubcommandTerm(str) {
			return str.split(" ").map((word) => {
				if (word === "[options]") return this.styleOptionText(word);
				if (word[0] === "[" || word[0] === "<") return this.styleArgumentText(word);
				return this.styleSubcommandText(word);
			}).join(" ");
		}
		styleArgumentTerm(str) {
			return this.styleArgumentText(str);
		}
		styleOptionText(str) {
			return str;
		}
		styleArgumentText(str) {
			return str;
		}
		styleSubcommandText(str) {
			return str;
		}
		styleCommandText(str) {
			return str;
		}
		/**
		* Calculate the pad width from the maximum term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		padWidth(cmd, helper) {
			return Math.max(helper.longestOptionTermLength(cmd, helper), helper.longestGlobalOptionTermLength(cmd, helper), helper.longestSubcommandTermLength(cmd, helper), helper.longestArgumentTermLength(cmd, helper));
		}
		/**
		* Detect manually wrapped and indented strings by checking for line break followed by whitespace.
		*
		* @param {string} str
		* @returns {boolean}
		*/
		preformatted(str) {
			return /\n[^\S\r\n]/.test(str);
		}
		/**
		* Format the "item", which consists of a term and description. Pad the term and wrap the description, indenting the following lines.
		*
		* So "TTT", 5, "DDD DDDD DD DDD" might be formatted for this.helpWidth=17 like so:
		*   TTT  DDD DDDD
		*        DD DDD
		*
		* @param {string} term
		* @param {number} termWidth
		* @param {string} description
		* @param {Help} helper
		* @returns {string}
		*/
		formatItem(term, termWidth, description, helper) {
			const itemIndent = 2;
			const itemIndentStr = " ".repeat(itemIndent);
			if (!description) return itemIndentStr + term;
			const paddedTerm = term.padEnd(termWidth + term.length - helper.displayWidth(term));
			const spacerWidth = 2;
			const remainingWidth = (this.helpWidth ?? 80) - termWidth - spacerWidth - itemIndent;
			let formattedDescription;
			if (remainingWidth < this.minWidthToWrap || helper.preformatted(description)) formattedDescription = description;
			else formattedDescription = helper.boxWrap(description, remainingWidth).replace(/\n/g, "\n" + " ".repeat(termWidth + spacerWidth));
			return itemIndentStr + paddedTerm + " ".repeat(spacerWidth) + formattedDescription.replace(/\n/g, `\n${itemIndentStr}`);
		}
		/**
		* Wrap a string at whitespace, preserving existing line breaks.
		* Wrapping is skipped if the width is less than `minWidthToWrap`.
		*
		* @param {string} str
		* @param {number} width
		* @returns {string}
		*/
		boxWrap(str, width) {
			if (width < this.minWidthToWrap) return str;
			const rawLines = str.split(/\r\n|\n/);
			const chunkPattern = /[\s]*[^\s]+/g;
			const wrappedLines = [];
			rawLines.forEach((line) => {
				const chunks = line.match(chunkPattern);
				if (chunks === null) {
					wrappedLines.push("");
					return;
				}
				let sumChunks = [chunks.shift()];
				let sumWidth = this.displayWidth(sumChunks[0]);
				chunks.forEach((chunk) => {
					const visibleWidth = this.displayWidth(chunk);
					if (sumWidth + visibleWidth <= width) {
						sumChunks.push(chunk);
						sumWidth += visibleWidth;
						return;
					}
					wrappedLines.push(sumChunks.join(""));
					const nextChunk = chunk.trimStart();
					sumChunks = [nextChunk];
					sumWidth = this.displayWidth(nextChunk);
				});
				wrappedLines.push(sumChunks.join(""));
			});
			return wrappedLines.join("\n");
		}
	};
	/**
	* Strip style ANSI escape sequences from the string. In particular, SGR (Select Graphic Rendition) codes.
	*
	* @param {string} str
	* @returns {string}
	* @package
	*/
	function stripColor(str) {
		return str.replace(/\x1b\[\d*(;\d*)*m/g, "");
	}
	exports.Help = Help;
	exports.stripColor = stripColor;
}));
// node_modules/commander/lib/option.js
var require_option = /* @__PURE__ */ __commonJSMin(((exports) => {
	const { InvalidArgumentError } = require_error();
	var Option = class {
		/**
		* Initialize a new `Option` with the given `flags` and `description`.
		*
		* @param {string} flags
		* @param {string} [description]
		*/
		constructor(flags, description) {
			this.flags = flags;
			this.description = description || "";
			this.required = flags.includes("<");
			this.optional = flags.includes("[");
			this.variadic = /\w\.\.\.[>\]]$/.test(flags);
			this.mandatory = false;
			const optionFlags = splitOptionFlags(flags);
			this.short = optionFlags.shortFlag;
			this.long = optionFlags.longFlag;
			this.negate = false;
			if (this.long) this.negate = this.long.startsWith("--no-");
			this.defaultValue = void 0;
			this.defaultValueDescription = void 0;
			this.presetArg = void 0;
			this.envVar = void 0;
			this.parseArg = void 0;
			this.hidden = false;
			this.argChoices = void 0;
			this.conflictsWith = [];
			this.implied = void 0;
			this.helpGroupHeading = void 0;
		}
		/**
		* Set the default value, and optionally supply the description to be displayed in the help.
		*
		* @param {*} value
		* @param {string} [description]
		* @return {Option}
		*/
		default(value, description) {
			this.defaultValue = value;
			this.defaultValueDescription = description;
			return this;
		}
		/**
		* Preset to use when option used without option-argument, especially optional but also boolean and negated.
		* The custom processing (parseArg) is called.
		*
		* @example
		* new Option('--color').default('GREYSCALE').preset('RGB');
		* new Option('--donate [amount]').preset('20').argParser(parseFloat);
		*
		* @param {*} arg
		* @return {Option}
		*/
		preset(arg) {
			this.presetArg = arg;
			return this;
		}
		/**
		* Add option name(s) that conflict with this option.
		* An error will be displayed if conflicting options are found during parsing.
		*
		* @example
		* new Option('--rgb').conflicts('cmyk');
		* new Option('--js').conflicts(['ts', 'jsx']);
		*
		* @param {(string | string[])} names
		* @return {Option}
		*/
		conflicts(names) {
			this.conflictsWith = this.conflictsWith.concat(names);
			return this;
		}
		/**
		* Specify implied option values for when this option is set and the implied options are not.
		*
		* The custom processing (parseArg) is not called on the implied values.
		*
		* @example
		* program
		*   .addOption(new Option('--log', 'write logging information to file'))
		*   .addOption(new Option('--trace', 'log extra details').implies({ log: 'trace.txt' }));
		*
		* @param {object} impliedOptionValues
		* @return {Option}
		*/
		implies(impliedOptionValues) {
			let newImplied = impliedOptionValues;
			if (typeof impliedOptionValues === "string") newImplied = { [impliedOptionValues]: true };
			this.implied = Object.assign(this.implied || {}, newImplied);
			return this;
		}
		/**
		* Set environment variable to check for option value.
		*
		* An environment variable is only used if when processed the current option value is
		* undefined, or the source of the current value is 'default' or 'config' or 'env'.
		*
		* @param {string} name
		* @return {Option}
		*/
		env(name) {
			this.envVar = name;
			return this;
		}
		/**
		* Set the custom handler for processing CLI option arguments into option values.
		*
		* @param {Function} [fn]
		* @return {Option}
		*/
		argParser(fn) {
			this.parseArg = fn;
			return this;
		}
		/**
		* Whether the option is mandatory and must have a value after parsing.
		*
		* @param {boolean} [mandatory=true]
		* @return {Option}
		*/
		makeOptionMandatory(mandatory = true) {
			this.mandatory = !!mandatory;
			return this;
		}
		/**
		* Hide option in help.
		*
		* @param {boolean} [hide=true]
		* @return {Option}
		*/
		hideHelp(hide = true) {
			this.hidden = !!hide;
			return this;
		}
		/**
		* @package
		*/
		_collectValue(value, previous) {
			if (previous === this.defaultValue || !Array.isArray(previous)) return [value];
			previous.push(value);
			return previous;
		}
		/**
		* Only allow option value to be one of choices.
		*
		* @param {string[]} values
		* @return {Option}
		*/
		choices(values) {
			this.argChoices = values.slice();
			this.parseArg = (arg, previous) => {
				if (!this.argChoices.includes(arg)) throw new InvalidArgumentError(`Allowed choices are ${this.argChoices.join(", ")}.`);
				if (this.variadic) return this._collectValue(arg, previous);
				return arg;
			};
			return this;
		}
		/**
		* Return option name.
		*
		* @return {string}
		*/
		name() {
			if (this.long) return this.long.replace(/^--/, "");
			return this.short.replace(/^-/, "");
		}
		/**
		* Return option name, in a camelcase format that can be used
		* as an object attribute key.
		*
		* @return {string}
		*/
		attributeName() {
			if (this.negate) return camelcase(this.name().replace(/^no-/, ""));
			return camelcase(this.name());
		}
		/**
		* Set the help group heading.
		*
		* @param {string} heading
		* @return {Option}
		*/
		helpGroup(heading) {
			this.helpGroupHeading = heading;
			return this;
		}
		/**
		* Check if `arg` matches the short or long flag.
		*
		* @param {string} arg
		* @return {boolean}
		* @package
		*/
		is(arg) {
			return this.short === arg || this.long === arg;
		}
		/**
		* Return whether a boolean option.
		*
		* Options are one of boolean, negated, required argument, or optional argument.
		*
		* @return {boolean}
		* @package
		*/
		isBoolean() {
			return !this.required && !this.optional && !this.negate;
		}
	};
	/**
	* This class is to make it easier to work with dual options, without changing the existing
	* implementation. We support separate dual options for separate positive and negative options,
	* like `--build` and `--no-build`, which share a single option value. This works nicely for some
	* use cases, but is tricky for others where we want separate behaviours despite
	* the single shared option value.
	*/
	var DualOptions = class {
		/**
		* @param {Option[]} options
		*/
		constructor(options) {
			this.positiveOptions = /* @__PURE__ */ new Map();
			this.negativeOptions = /* @__PURE__ */ new Map();
			this.dualOptions = /* @__PURE__ */ new Set();
			options.forEach((option) => {
				if (option.negate) this.negativeOptions.set(option.attributeName(), option);
				else this.positiveOptions.set(option.attributeName(), option);
			});
			this.negativeOptions.forEach((value, key) => {
				if (this.positiveOptions.has(key)) this.dualOptions.add(key);
			});
		}
		/**
		* Did the value come from the option, and not from possible matching dual option?
		*
		* @param {*} value
		* @param {Option} option
		* @returns {boolean}
		*/
		valueFromOption(value, option) {
			const optionKey = option.attributeName();
			if (!this.dualOptions.has(optionKey)) return true;
			const preset = this.negativeOptions.get(optionKey).presetArg;
			const negativeValue = preset !== void 0 ? preset : false;
			return option.negate === (negativeValue === value);
		}
	};
	/**
	* Convert string from kebab-case to camelCase.
	*
	* @param {string} str
	* @return {string}
	* @private
	*/
	function camelcase(str) {
		return str.split("-").reduce((str, word) => {
			return str + word[0].toUpperCase() + word.slice(1);
		});
	}
	/**
	* Split the short and long flag out of something like '-m,--mixed <value>'
	*
	* @private
	*/
	function splitOptionFlags(flags) {
		let shortFlag;
		let longFlag;
		const shortFlagExp = /^-[^-]$/;
		const longFlagExp = /^--[^-]/;
		const flagParts = flags.split(/[ |,]+/).concat("guard");
		if (shortFlagExp.test(flagParts[0])) shortFlag = flagParts.shift();
		if (longFlagExp.test(flagParts[0])) longFlag = flagParts.shift();
		if (!shortFlag && shortFlagExp.test(flagParts[0])) shortFlag = flagParts.shift();
		if (!shortFlag && longFlagExp.test(flagParts[0])) {
			shortFlag = longFlag;
			longFlag = flagParts.shift();
		}
		if (flagParts[0].startsWith("-")) {
			const unsupportedFlag = flagParts[0];
			const baseError = `option creation failed due to '${unsupportedFlag}' in option flags '${flags}'`;
			if (/^-[^-][^-]/.test(unsupportedFlag)) throw new Error(`${baseError}
- a short flag is a single dash and a single character
  - either use a single dash and a single character (for a short flag)
  - or use a double dash for a long option (and can have two, like '--ws, --workspace')`);
			if (shortFlagExp.test(unsupportedFlag)) throw new Error(`${baseError}
- too many short flags`);
			if (longFlagExp.test(unsupportedFlag)) throw new Error(`${baseError}
- too many long flags`);
			throw new Error(`${baseError}
- unrecognised flag format`);
		}
		if (shortFlag === void 0 && longFlag === void 0) throw new Error(`option creation failed due to no flags found in '${flags}'.`);
		return {
			shortFlag,
			longFlag
		};
	}
	exports.Option = Option;
	exports.DualOptions = DualOptions;
}));
// node_modules/commander/lib/suggestSimilar.js
var require_suggestSimilar = /* @__PURE__ */ __commonJSMin(((exports) => {
	const maxDistance = 3;
	function editDistance(a, b) {
		if (Math.abs(a.length - b.length) > maxDistance) return Math.max(a.length, b.length);
		const d = [];
		for (let i = 0; i <= a.length; i++) d[i] = [i];
		for (let j = 0; j <= b.length; j++) d[0][j] = j;
		for (let j = 1; j <= b.length; j++) for (let i = 1; i <= a.length; i++) {
			let cost = 1;
			if (a[i - 1] === b[j - 1]) cost = 0;
			else cost = 1;
			d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
		}
		return d[a.length][b.length];
	}
	/**
	* Find close matches, restricted to same number of edits.
	*
	* @param {string} word
	* @param {string[]} candidates
	* @returns {string}
	*/
	function suggestSimilar(word, candidates) {
		if (!candidates || candidates.length === 0) return "";
		candidates = Array.from(new Set(candidates));
		const searchingOptions = word.startsWith("--");
		if (searchingOptions) {
			word = word.slice(2);
			candidates = candidates.map((candidate) => candidate.slice(2));
		}
		let similar = [];
		let bestDistance = maxDistance;
		const minSimilarity = .4;
		candidates.forEach((candidate) => {
			if (candidate.length <= 1) return;
			const distance = editDistance(word, candidate);
			const length = Math.max(word.length, candidate.length);
			if ((length - distance) / length > minSimilarity) {
				if (distance < bestDistance) {
					bestDistance = distance;
					similar = [candidate];
				} else if (distance === bestDistance) similar.push(candidate);
			}
		});
		similar.sort((a, b) => a.localeCompare(b));
		if (searchingOptions) similar = similar.map((candidate) => `--${candidate}`);
		if (similar.length > 1) return `\n(Did you mean one of ${similar.join(", ")}?)`;
		if (similar.length === 1) return `\n(Did you mean ${similar[0]}?)`;
		return "";
	}
	exports.suggestSimilar = suggestSimilar;
}));
// node_modules/commander/lib/command.js
var require_command = /* @__PURE__ */ __commonJSMin(((exports) => {
	const EventEmitter = __require("node:events").EventEmitter;
	const childProcess = __require("node:child_process");
	const path = __require("node:path");
	const fs = __require("node:fs");
	const process = __require("node:process");
	const { Argument, humanReadableArgName } = require_argument();
	const { CommanderError } = require_error();
	const { Help, stripColor } = require_help();
	const { Option, DualOptions } = require_option();
	const { suggestSimilar } = require_suggestSimilar();
	var Command = class Command extends EventEmitter {
		/**
		* Initialize a new `Command`.
		*
		* @param {string} [name]
		*/
		constructor(name) {
			super();
			/** @type {Command[]} */
			this.commands = [];
			/** @type {Option[]} */
			this.options = [];
			this.parent = null;
			this._allowUnknownOption = false;
			this._allowExcessArguments = false;
			/** @type {Argument[]} */
			this.registeredArguments = [];
			this._args = this.registeredArguments;
			/** @type {string[]} */
			this.args = [];
			this.rawArgs = [];
			this.processedArgs = [];
			this._scriptPath = null;
			this._name = name || "";
			this._optionValues = {};
			this._optionValueSources = {};
			this._storeOptionsAsProperties = false;
			this._actionHandler = null;
			this._executableHandler = false;
			this._executableFile = null;
			this._executableDir = null;
			this._defaultCommandName = null;
			this._exitCallback = null;
			this._aliases = [];
			this._combineFlagAndOptionalValue = true;
			this._description = "";
			this._summary = "";
			this._argsDescription = void 0;
			this._enablePositionalOptions = false;
			this._passThroughOptions = false;
			this._lifeCycleHooks = {};
			/** @type {(boolean | string)} */
			this._showHelpAfterError = false;
			this._showSuggestionAfterError = true;
			this._savedState = null;
			this._outputConfiguration = {
				writeOut: (str) => process.stdout.write(str),
				writeErr: (str) => process.stderr.write(str),
				outputError: (str, write) => write(str),
				getOutHelpWidth: () => process.stdout.isTTY ? process.stdout.columns : void 0,
				getErrHelpWidth: () => process.stderr.isTTY ? process.stderr.columns : void 0,
				getOutHasColors: () => useColor() ?? (process.stdout.isTTY && process.stdout.hasColors?.()),
				getErrHasColors: () => useColor() ?? (process.stderr.isTTY && process.stderr.hasColors?.()),
				stripColor: (str) => stripColor(str)
			};
			this._hidden = false;
			/** @type {(Option | null | undefined)} */
			this._helpOption = void 0;
			this._addImplicitHelpCommand = void 0;
			/** @type {Command} */
			this._helpCommand = void 0;
			this._helpConfiguration = {};
			/** @type {string | undefined} */
			this._helpGroupHeading = void 0;
			/** @type {string | undefined} */
			this._defaultCommandGroup = void 0;
			/** @type {string | undefined} */
			this._defaultOptionGroup = void 0;
		}
		/**
		* Copy settings that are useful to have in common across root command and subcommands.
		*
		* (Used internally when adding a command using `.command()` so subcommands inherit parent settings.)
		*
		* @param {Command} sourceCommand
		* @return {Command} `this` command for chaining
		*/
		copyInheritedSettings(sourceCommand) {
			this._outputConfiguration = sourceCommand._outputConfiguration;
			this._helpOption = sourceCommand._helpOption;
			this._helpCommand = sourceCommand._helpCommand;
			this._helpConfiguration = sourceCommand._helpConfiguration;
			this._exitCallback = sourceCommand._exitCallback;
			this._storeOptionsAsProperties = sourceCommand._storeOptionsAsProperties;
			this._combineFlagAndOptionalValue = sourceCommand._combineFlagAndOptionalValue;
			this._allowExcessArguments = sourceCommand._allowExcessArguments;
			this._enablePositionalOptions = sourceCommand._enablePositionalOptions;
			this._showHelpAfterError = sourceCommand._showHelpAfterError;
			this._showSuggestionAfterError = sourceCommand._showSuggestionAfterError;
			return this;
		}
		/**
		* @returns {Command[]}
		* @private
		*/
		_getCommandAndAncestors() {
			const result = [];
			for (let command = this; command; command = command.parent) result.push(command);
			return result;
		}
		/**
		* Define a command.
		*
		* There are two styles of command: pay attention to where to put the description.
		*
		* @example
		* // Command implemented using action handler (description is supplied separately to `.command`)
		* program
		*   .command('clone <source> [destination]')
		*   .description('clone a repository into a newly created directory')
		*   .action((source, destination) => {
		*     console.log('clone command called');
		*   });
		*
		* // Command implemented using separate executable file (description is second parameter to `.command`)
		* program
		*   .command('start <service>', 'start named service')
		*   .command('stop [service]', 'stop named service, or all if no name supplied');
		*
		* @param {string} nameAndArgs - command name and arguments, args are `<required>` or `[optional]` and last may also be `variadic...`
		* @param {(object | string)} [actionOptsOrExecDesc] - configuration options (for action), or description (for executable)
		* @param {object} [execOpts] - configuration options (for executable)
		* @return {Command} returns new command for action handler, or `this` for executable command
		*/
		command(nameAndArgs, actionOptsOrExecDesc, execOpts) {
			let desc = actionOptsOrExecDesc;
			let opts = execOpts;
			if (typeof desc === "object" && desc !== null) {
				opts = desc;
				desc = null;
			}
			opts = opts || {};
			const [, name, args] = nameAndArgs.match(/([^ ]+) *(.*)/);
			const cmd = this.createCommand(name);
			if (desc) {
				cmd.description(desc);
				cmd._executableHandler = true;
			}
			if (opts.isDefault) this._defaultCommandName = cmd._name;
			cmd._hidden = !!(opts.noHelp || opts.hidden);
			cmd._executableFile = opts.executableFile || null;
			if (args) cmd.arguments(args);
			this._registerCommand(cmd);
			cmd.parent = this;
			cmd.copyInheritedSettings(this);
			if (desc) return this;
			return cmd;
		}
		/**
		* Factory routine to create a new unattached command.
		*
		* See .command() for creating an attached subcommand, which uses this routine to
		* create the command. You can override createCommand to customise subcommands.
		*
		* @param {string} [name]
		* @return {Command} new command
		*/
		createCommand(name) {
			return new Command(name);
		}
		/**
		* You can customise the help with a subclass of Help by overriding createHelp,
		* or by overriding Help properties using configureHelp().
		*
		* @return {Help}
		*/
		createHelp() {
			return Object.assign(new Help(), this.configureHelp());
		}
		/**
		* You can customise the help by overriding Help properties using configureHelp(),
		* or with a subclass of Help by overriding createHelp().
		*
		* @param {object} [configuration] - configuration options
		* @return {(Command | object)} `this` command for chaining, or stored configuration
		*/
		configureHelp(configuration) {
			if (configuration === void 0) return this._helpConfiguration;
			this._helpConfiguration = configuration;
			return this;
		}
		/**
		* The default output goes to stdout and stderr. You can customise this for special
		* applications. You can also customise the display of errors by overriding outputError.
		*
		* The configuration properties are all functions:
		*
		*     // change how output being written, defaults to stdout and stderr
		*     writeOut(str)
		*     writeErr(str)
		*     // change how output being written for errors, defaults to writeErr
		*     outputError(str, write) // used for displaying errors and not used for displaying help
		*     // specify width for wrapping help
		*     getOutHelpWidth()
		*     getErrHelpWidth()
		*     // color support, currently only used with Help
		*     getOutHasColors()
		*     getErrHasColors()
		*     stripColor() // used to remove ANSI escape codes if output does not have colors
		*
		* @param {object} [configuration] - configuration options
		* @return {(Command | object)} `this` command for chaining, or stored configuration
		*/
		configureOutput(configuration) {
			if (configuration === void 0) return this._outputConfiguration;
			this._outputConfiguration = {
				...this._outputConfiguration,
				...configuration
			};
			return this;
		}
		/**
		* Display the help or a custom message after an error occurs.
		*
		* @param {(boolean|string)} [displayHelp]
		* @return {Command} `this` command for chaining
		*/
		showHelpAfterError(displayHelp = true) {
			if (typeof displayHelp !== "string") displayHelp = !!displayHelp;
			this._showHelpAfterError = displayHelp;
			return this;
		}
		/**
		* Display suggestion of similar commands for unknown commands, or options for unknown options.
		*
		* @param {boolean} [displaySuggestion]
		* @return {Command} `this` command for chaining
		*/
		showSuggestionAfterError(displaySuggestion = true) {
			this._showSuggestionAfterError = !!displaySuggestion;
			return this;
		}
		/**
		* Add a prepared subcommand.
		*
		* See .command() for creating an attached subcommand which inherits settings from its parent.
		*
		* @param {Command} cmd - new subcommand
		* @param {object} [opts] - configuration options
		* @return {Command} `this` command for chaining
		*/
		addCommand(cmd, opts) {
			if (!cmd._name) throw new Error(`Command passed to .addCommand() must have a name
- specify the name in Command constructor or using .name()`);
			opts = opts || {};
			if (opts.isDefault) this._defaultCommandName = cmd._name;
			if (opts.noHelp || opts.hidden) cmd._hidden = true;
			this._registerCommand(cmd);
			cmd.parent = this;
			cmd._checkForBrokenPassThrough();
			return this;
		}
		/**
		* Factory routine to create a new unattached argument.
		*
		* See .argument() for creating an attached argument, which uses this routine to
		* create the argument. You can override createArgument to return a custom argument.
		*
		* @param {string} name
		* @param {string} [description]
		* @return {Argument} new argument
		*/
		createArgument(name, description) {
			return new Argument(name, description);
		}
		/**
		* Define argument syntax for command.
		*
		* The default is that the argument is required, and you can explicitly
		* indicate this with <> around the name. Put [] around the name for an optional argument.
		*
		* @example
		* program.argument('<input-file>');
		* program.argument('[output-file]');
		*
		* @param {string} name
		* @param {string} [description]
		* @param {(Function|*)} [parseArg] - custom argument processing function or default value
		* @param {*} [defaultValue]
		* @return {Command} `this` command for chaining
		*/
		argument(name, description, parseArg, defaultValue) {
			const argument = this.createArgument(name, description);
			if (typeof parseArg === "function") argument.default(defaultValue).argParser(parseArg);
			else argument.default(parseArg);
			this.addArgument(argument);
			return this;
		}
		/**
		* Define argument syntax for command, adding multiple at once (without descriptions).
		*
		* See also .argument().
		*
		* @example
		* program.arguments('<cmd> [env]');
		*
		* @param {string} names
		* @return {Command} `this` command for chaining
		*/
		arguments(names) {
			names.trim().split(/ +/).forEach((detail) => {
				this.argument(detail);
			});
			return this;
		}
		/**
		* Define argument syntax for command, adding a prepared argument.
		*
		* @param {Argument} argument
		* @return {Command} `this` command for chaining
		*/
		addArgument(argument) {
			const previousArgument = this.registeredArguments.slice(-1)[0];
			if (previousArgument?.variadic) throw new Error(`only the last argument can be variadic '${previousArgument.name()}'`);
			if (argument.required && argument.defaultValue !== void 0 && argument.parseArg === void 0) throw new Error(`a default value for a required argument is never used: '${argument.name()}'`);
			this.registeredArguments.push(argument);
			return this;
		}
		/**
		* Customise or override default help command. By default a help command is automatically added if your command has subcommands.
		*
		* @example
		*    program.helpCommand('help [cmd]');
		*    program.helpCommand('help [cmd]', 'show help');
		*    program.helpCommand(false); // suppress default help command
		*    program.helpCommand(true); // add help command even if no subcommands
		*
		* @param {string|boolean} enableOrNameAndArgs - enable with custom name and/or arguments, or boolean to override whether added
		* @param {string} [description] - custom description
		* @return {Command} `this` command for chaining
		*/
		helpCommand(enableOrNameAndArgs, description) {
			if (typeof enableOrNameAndArgs === "boolean") {
				this._addImplicitHelpCommand = enableOrNameAndArgs;
				if (enableOrNameAndArgs && this._defaultCommandGroup) this._initCommandGroup(this._getHelpCommand());
				return this;
			}
			const [, helpName, helpArgs] = (enableOrNameAndArgs ?? "help [command]").match(/([^ ]+) *(.*)/);
			const helpDescription = description ?? "display help for command";
			const helpCommand = this.createCommand(helpName);
			helpCommand.helpOption(false);
			if (helpArgs) helpCommand.arguments(helpArgs);
			if (helpDescription) helpCommand.description(helpDescription);
			this._addImplicitHelpCommand = true;
			this._helpCommand = helpCommand;
			if (enableOrNameAndArgs || description) this._initCommandGroup(helpCommand);
			return this;
		}
		/**
		* Add prepared custom help command.
		*
		* @param {(Command|string|boolean)} helpCommand - custom help command, or deprecated enableOrNameAndArgs as for `.helpCommand()`
		* @param {string} [deprecatedDescription] - deprecated custom description used with custom name only
		* @return {Command} `this` command for chaining
		*/
		addHelpCommand(helpCommand, deprecatedDescription) {
			if (typeof helpCommand !== "object") {
				this.helpCommand(helpCommand, deprecatedDescription);
				return this;
			}
			this._addImplicitHelpCommand = true;
			this._helpCommand = helpCommand;
			this._initCommandGroup(helpCommand);
			return this;
		}
		/**
		* Lazy create help command.
		*
		* @return {(Command|null)}
		* @package
		*/
		_getHelpCommand() {
			if (this._addImplicitHelpCommand ?? (this.commands.length && !this._actionHandler && !this._findCommand("help"))) {
				if (this._helpCommand === void 0) this.helpCommand(void 0, void 0);
				return this._helpCommand;
			}
			return null;
		}
		/**
		* Add hook for life cycle event.
		*
		* @param {string} event
		* @param {Function} listener
		* @return {Command} `this` command for chaining
		*/
		hook(event, listener) {
			const allowedValues = [
				"preSubcommand",
				"preAction",
				"postAction"
			];
			if (!allowedValues.includes(event)) throw new Error(`Unexpected value for event passed to hook : '${event}'.
Expecting one of '${allowedValues.join("', '")}'`);
			if (this._lifeCycleHooks[event]) this._lifeCycleHooks[event].push(listener);
			else this._lifeCycleHooks[event] = [listener];
			return this;
		}
		/**
		* Register callback to use as replacement for calling process.exit.
		*
		* @param {Function} [fn] optional callback which will be passed a CommanderError, defaults to throwing
		* @return {Command} `this` command for chaining
		*/
		exitOverride(fn) {
			if (fn) this._exitCallback = fn;
			else this._exitCallback = (err) => {
				if (err.code !== "commander.executeSubCommandAsync") throw err;
			};
			return this;
		}
		/**
		* Call process.exit, and _exitCallback if defined.
		*
		* @param {number} exitCode exit code for using with process.exit
		* @param {string} code an id string representing the error
		* @param {string} message human-readable description of the error
		* @return never
		* @private
		*/
		_exit(exitCode, code, message) {
			if (this._exitCallback) this._exitCallback(new CommanderError(exitCode, code, message));
			process.exit(exitCode);
		}
		/**
		* Register callback `fn` for the command.
		*
		* @example
		* program
		*   .command('serve')
		*   .description('start service')
		*   .action(function() {
		*      // do work here
		*   });
		*
		* @param {Function} fn
		* @return {Command} `this` command for chaining
		*/
		action(fn) {
			const listener = (args) => {
				const expectedArgsCount = this.registeredArguments.length;
				const actionArgs = args.slice(0, expectedArgsCount);
				if (this._storeOptionsAsProperties) actionArgs[expectedArgsCount] = this;
				else actionArgs[expectedArgsCount] = this.opts();
				actionArgs.push(this);
				return fn.apply(this, actionArgs);
			};
			this._actionHandler = listener;
			return this;
		}
		/**
		* Factory routine to create a new unattached option.
		*
		* See .option() for creating an attached option, which uses this routine to
		* create the option. You can override createOption to return a custom option.
		*
		* @param {string} flags
		* @param {string} [description]
		* @return {Option} new option
		*/
		createOption(flags, description) {
			return new Option(flags, description);
		}
		/**
		* Wrap parseArgs to catch 'commander.invalidArgument'.
		*
		* @param {(Option | Argument)} target
		* @param {string} value
		* @param {*} previous
		* @param {string} invalidArgumentMessage
		* @private
		*/
		_callParseArg(target, value, previous, invalidArgumentMessage) {
			try {
				return target.parseArg(value, previous);
			} catch (err) {
				if (err.code === "commander.invalidArgument") {
					const message = `${invalidArgumentMessage} ${err.message}`;
					this.error(message, {
						exitCode: err.exitCode,
						code: err.code
					});
				}
				throw err;
			}
		}
		/**
		* Check for option flag conflicts.
		* Register option if no conflicts found, or throw on conflict.
		*
		* @param {Option} option
		* @private
		*/
		_registerOption(option) {
			const matchingOption = option.short && this._findOption(option.short) || option.long && this._findOption(option.long);
			if (matchingOption) {
				const matchingFlag = option.long && this._findOption(option.long) ? option.long : option.short;
				throw new Error(`Cannot add option '${option.flags}'${this._name && ` to command '${this._name}'`} due to conflicting flag '${matchingFlag}'
-  already used by option '${matchingOption.flags}'`);
			}
			this._initOptionGroup(option);
			this.options.push(option);
		}
		/**
		* Check for command name and alias conflicts with existing commands.
		* Register command if no conflicts found, or throw on conflict.
		*
		* @param {Command} command
		* @private
		*/
		_registerCommand(command) {
			const knownBy = (cmd) => {
				return [cmd.name()].concat(cmd.aliases());
			};
			const alreadyUsed = knownBy(command).find((name) => this._findCommand(name));
			if (alreadyUsed) {
				const existingCmd = knownBy(this._findCommand(alreadyUsed)).join("|");
				const newCmd = knownBy(command).join("|");
				throw new Error(`cannot add command '${newCmd}' as already have command '${existingCmd}'`);
			}
			this._initCommandGroup(command);
			this.commands.push(command);
		}
		/**
		* Add an option.
		*
		* @param {Option} option
		* @return {Command} `this` command for chaining
		*/
		addOption(option) {
			this._registerOption(option);
			const oname = option.name();
			const name = option.attributeName();
			if (option.negate) {
				const positiveLongFlag = option.long.replace(/^--no-/, "--");
				if (!this._findOption(positiveLongFlag)) this.setOptionValueWithSource(name, option.defaultValue === void 0 ? true : option.defaultValue, "default");
			} else if (option.defaultValue !== void 0) this.setOptionValueWithSource(name, option.defaultValue, "default");
			const handleOptionValue = (val, invalidValueMessage, valueSource) => {
				if (val == null && option.presetArg !== void 0) val = option.presetArg;
				const oldValue = this.getOptionValue(name);
				if (val !== null && option.parseArg) val = this._callParseArg(option, val, oldValue, invalidValueMessage);
				else if (val !== null && option.variadic) val = option._collectValue(val, oldValue);
				if (val == null) {
					if (option.negate) val = false;
					else if (option.isBoolean() || option.optional) val = true;
					else val = "";
				}
				this.setOptionValueWithSource(name, val, valueSource);
			};
			this.on("option:" + oname, (val) => {
				const invalidValueMessage = `error: option '${option.flags}' argument '${val}' is invalid.`;
				handleOptionValue(val, invalidValueMessage, "cli");
			});
			if (option.envVar) this.on("optionEnv:" + oname, (val) => {
				const invalidValueMessage = `error: option '${option.flags}' value '${val}' from env '${option.envVar}' is invalid.`;
				handleOptionValue(val, invalidValueMessage, "env");
			});
			return this;
		}
		/**
		* Internal implementation shared by .option() and .requiredOption()
		*
		* @return {Command} `this` command for chaining
		* @private
		*/
		_optionEx(config, flags, description, fn, defaultValue) {
			if (typeof flags === "object" && flags instanceof Option) throw new Error("To add an Option object use addOption() instead of option() or requiredOption()");
			const option = this.createOption(flags, description);
			option.makeOptionMandatory(!!config.mandatory);
			if (typeof fn === "function") option.default(defaultValue).argParser(fn);
			else if (fn instanceof RegExp) {
				const regex = fn;
				fn = (val, def) => {
					const m = regex.exec(val);
					return m ? m[0] : def;
				};
				option.default(defaultValue).argParser(fn);
			} else option.default(fn);
			return this.addOption(option);
		}
		/**
		* Define option with `flags`, `description`, and optional argument parsing function or `defaultValue` or both.
		*
		* The `flags` string contains the short and/or long flags, separated by comma, a pipe or space. A required
		* option-argument is indicated by `<>` and an optional option-argument by `[]`.
		*
		* See the README for more details, and see also addOption() and requiredOption().
		*
		* @example
		* program
		*     .option('-p, --pepper', 'add pepper')
		*     .option('--pt, --pizza-type <TYPE>', 'type of pizza') // required option-argument
		*     .option('-c, --cheese [CHEESE]', 'add extra cheese', 'mozzarella') // optional option-argument with default
		*     .option('-t, --tip <VALUE>', 'add tip to purchase cost', parseFloat) // custom parse function
		*
		* @param {string} flags
		* @param {string} [description]
		* @param {(Function|*)} [parseArg] - custom option processing function or default value
		* @param {*} [defaultValue]
		* @return {Command} `this` command for chaining
		*/
		option(flags, description, parseArg, defaultValue) {
			return this._optionEx({}, flags, description, parseArg, defaultValue);
		}
		/**
		* Add a required option which must have a value after parsing. This usually means
		* the option must be specified on the command line. (Otherwise the same as .option().)
		*
		* The `flags` string contains the short and/or long flags, separated by comma, a pipe or space.
		*
		* @param {string} flags
		* @param {string} [description]
		* @param {(Function|*)} [parseArg] - custom option processing function or default value
		* @param {*} [defaultValue]
		* @return {Command} `this` command for chaining
		*/
		requiredOption(flags, description, parseArg, defaultValue) {
			return this._optionEx({ mandatory: true }, flags, description, parseArg, defaultValue);
		}
		/**
		* Alter parsing of short flags with optional values.
		*
		* @example
		* // for `.option('-f,--flag [value]'):
		* program.combineFlagAndOptionalValue(true);  // `-f80` is treated like `--flag=80`, this is the default behaviour
		* program.combineFlagAndOptionalValue(false) // `-fb` is treated like `-f -b`
		*
		* @param {boolean} [combine] - if `true` or omitted, an optional value can be specified directly after the flag.
		* @return {Command} `this` command for chaining
		*/
		combineFlagAndOptionalValue(combine = true) {
			this._combineFlagAndOptionalValue = !!combine;
			return this;
		}
		/**
		* Allow unknown options on the command line.
		*
		* @param {boolean} [allowUnknown] - if `true` or omitted, no error will be thrown for unknown options.
		* @return {Command} `this` command for chaining
		*/
		allowUnknownOption(allowUnknown = true) {
			this._allowUnknownOption = !!allowUnknown;
			return this;
		}
		/**
		* Allow excess command-arguments on the command line. Pass false to make excess arguments an error.
		*
		* @param {boolean} [allowExcess] - if `true` or omitted, no error will be thrown for excess arguments.
		* @return {Command} `this` command for chaining
		*/
		allowExcessArguments(allowExcess = true) {
			this._allowExcessArguments = !!allowExcess;
			return this;
		}
		/**
		* Enable positional options. Positional means global options are specified before subcommands which lets
		* subcommands reuse the same option names, and also enables subcommands to turn on passThroughOptions.
		* The default behaviour is non-positional and global options may appear anywhere on the command line.
		*
		* @param {boolean} [positional]
		* @return {Command} `this` command for chaining
		*/
		enablePositionalOptions(positional = true) {
			this._enablePositionalOptions = !!positional;
			return this;
		}
		/**
		* Pass through options that come after command-arguments rather than treat them as command-options,
		* so actual command-options come before command-arguments. Turning this on for a subcommand requires
		* positional options to have been enabled on the program (parent commands).
		* The default behaviour is non-positional and options may appear before or after command-arguments.
		*
		* @param {boolean} [passThrough] for unknown options.
		* @return {Command} `this` command for chaining
		*/
		passThroughOptions(passThrough = true) {
			this._passThroughOptions = !!passThrough;
			this._checkForBrokenPassThrough();
			return this;
		}
		/**
		* @private
		*/
		_checkForBrokenPassThrough() {
			if (this.parent && this._passThroughOptions && !this.parent._enablePositionalOptions) throw new Error(`passThroughOptions cannot be used for '${this._name}' without turning on enablePositionalOptions for parent command(s)`);
		}
		/**
		* Whether to store option values as properties on command object,
		* or store separately (specify false). In both cases the option values can be accessed using .opts().
		*
		* @param {boolean} [storeAsProperties=true]
		* @return {Command} `this` command for chaining
		*/
		storeOptionsAsProperties(storeAsProperties = true) {
			if (this.options.length) throw new Error("call .storeOptionsAsProperties() before adding options");
			if (Object.keys(this._optionValues).length) throw new Error("call .storeOptionsAsProperties() before setting option values");
			this._storeOptionsAsProperties = !!storeAsProperties;
			return this;
		}
		/**
		* Retrieve option value.
		*
		* @param {string} key
		* @return {object} value
		*/
		getOptionValue(key) {
			if (this._storeOptionsAsProperties) return this[key];
			return this._optionValues[key];
		}
		/**
		* Store option value.
		*
		* @param {string} key
		* @param {object} value
		* @return {Command} `this` command for chaining
		*/
		setOptionValue(key, value) {
			return this.setOptionValueWithSource(key, value, void 0);
		}
		/**
		* Store option value and where the value came from.
		*
		* @param {string} key
		* @param {object} value
		* @param {string} source - expected values are default/config/env/cli/implied
		* @return {Command} `this` command for chaining
		*/
		setOptionValueWithSource(key, value, source) {
			if (this._storeOptionsAsProperties) this[key] = value;
			else this._optionValues[key] = value;
			this._optionValueSources[key] = source;
			return this;
		}
		/**
		* Get source of option value.
		* Expected values are default | config | env | cli | implied
		*
		* @param {string} key
		* @return {string}
		*/
		getOptionValueSource(key) {
			return this._optionValueSources[key];
		}
		/**
		* Get source of option value. See also .optsWithGlobals().
		* Expected values are default | config | env | cli | implied
		*
		* @param {string} key
		* @return {string}
		*/
		getOptionValueSourceWithGlobals(key) {
			let source;
			this._getCommandAndAncestors().forEach((cmd) => {
				if (cmd.getOptionValueSource(key) !== void 0) source = cmd.getOptionValueSource(key);
			});
			return source;
		}
		/**
		* Get user arguments from implied or explicit arguments.
		* Side-effects: set _scriptPath if args included script. Used for default program name, and subcommand searches.
		*
		* @private
		*/
		_prepareUserArgs(argv, parseOptions) {
			if (argv !== void 0 && !Array.isArray(argv)) throw new Error("first parameter to parse must be array or undefined");
			parseOptions = parseOptions || {};
			if (argv === void 0 && parseOptions.from === void 0) {
				if (process.versions?.electron) parseOptions.from = "electron";
				const execArgv = process.execArgv ?? [];
				if (execArgv.includes("-e") || execArgv.includes("--eval") || execArgv.includes("-p") || execArgv.includes("--print")) parseOptions.from = "eval";
			}
			if (argv === void 0) argv = process.argv;
			this.rawArgs = argv.slice();
			let userArgs;
			switch (parseOptions.from) {
				case void 0:
				case "node":
					this._scriptPath = argv[1];
					userArgs = argv.slice(2);
					break;
				case "electron":
					if (process.defaultApp) {
						this._scriptPath = argv[1];
						userArgs = argv.slice(2);
					} else userArgs = argv.slice(1);
					break;
				case "user":
					userArgs = argv.slice(0);
					break;
				case "eval":
					userArgs = argv.slice(1);
					break;
				default: throw new Error(`unexpected parse option { from: '${parseOptions.from}' }`);
			}
			if (!this._name && this._scriptPath) this.nameFromFilename(this._scriptPath);
			this._name = this._name || "program";
			return userArgs;
		}
		/**
		* Parse `argv`, setting options and invoking commands when defined.
		*
		* Use parseAsync instead of parse if any of your action handlers are async.
		*
		* Call with no parameters to parse `process.argv`. Detects Electron and special node options like `node --eval`. Easy mode!
		*
		* Or call with an array of strings to parse, and optionally where the user arguments start by specifying where the arguments are `from`:
		* - `'node'`: default, `argv[0]` is the application and `argv[1]` is the script being run, with user arguments after that
		* - `'electron'`: `argv[0]` is the application and `argv[1]` varies depending on whether the electron application is packaged
		* - `'user'`: just user arguments
		*
		* @example
		* program.parse(); // parse process.argv and auto-detect electron and special node flags
		* program.parse(process.argv); // assume argv[0] is app and argv[1] is script
		* program.parse(my-args, { from: 'user' }); // just user supplied arguments, nothing special about argv[0]
		*
		* @param {string[]} [argv] - optional, defaults to process.argv
		* @param {object} [parseOptions] - optionally specify style of options with from: node/user/electron
		* @param {string} [parseOptions.from] - where the args are from: 'node', 'user', 'electron'
		* @return {Command} `this` command for chaining
		*/
		parse(argv, parseOptions) {
			this._prepareForParse();
			const userArgs = this._prepareUserArgs(argv, parseOptions);
			this._parseCommand([], userArgs);
			return this;
		}
		/**
		* Parse `argv`, setting options and invoking commands when defined.
		*
		* Call with no parameters to parse `process.argv`. Detects Electron and special node options like `node --eval`. Easy mode!
		*
		* Or call with an array of strings to parse, and optionally where the user arguments start by specifying where the arguments are `from`:
		* - `'node'`: default, `argv[0]` is the application and `argv[1]` is the script being run, with user arguments after that
		* - `'electron'`: `argv[0]` is the application and `argv[1]` varies depending on whether the electron application is packaged
		* - `'user'`: just user arguments
		*
		* @example
		* await program.parseAsync(); // parse process.argv and auto-detect electron and special node flags
		* await program.parseAsync(process.argv); // assume argv[0] is app and argv[1] is script
		* await program.parseAsync(my-args, { from: 'user' }); // just user supplied arguments, nothing special about argv[0]
		*
		* @param {string[]} [argv]
		* @param {object} [parseOptions]
		* @param {string} parseOptions.from - where the args are from: 'node', 'user', 'electron'
		* @return {Promise}
		*/
		async parseAsync(argv, parseOptions) {
			this._prepareForParse();
			const userArgs = this._prepareUserArgs(argv, parseOptions);
			await this._parseCommand([], userArgs);
			return this;
		}
		_prepareForParse() {
			if (this._savedState === null) this.saveStateBeforeParse();
			else this.restoreStateBeforeParse();
		}
		/**
		* Called the first time parse is called to save state and allow a restore before subsequent calls to parse.
		* Not usually called directly, but available for subclasses to save their custom state.
		*
		* This is called in a lazy way. Only commands used in parsing chain will have state saved.
		*/
		saveStateBeforeParse() {
			this._savedState = {
				_name: this._name,
				_optionValues: { ...this._optionValues },
				_optionValueSources: { ...this._optionValueSources }
			};
		}
		/**
		* Restore state before parse for calls after the first.
		* Not usually called directly, but available for subclasses to save their custom state.
		*
		* This is called in a lazy way. Only commands used in parsing chain will have state restored.
		*/
		restoreStateBeforeParse() {
			if (this._storeOptionsAsProperties) throw new Error(`Can not call parse again when storeOptionsAsProperties is true.
- either make a new Command for each call to parse, or stop storing options as properties`);
			this._name = this._savedState._name;
			this._scriptPath = null;
			this.rawArgs = [];
			this._optionValues = { ...this._savedState._optionValues };
			this._optionValueSources = { ...this._savedState._optionValueSources };
			this.args = [];
			this.processedArgs = [];
		}
		/**
		* Throw if expected executable is missing. Add lots of help for author.
		*
		* @param {string} executableFile
		* @param {string} executableDir
		* @param {string} subcommandName
		*/
		_checkForMissingExecutable(executableFile, executableDir, subcommandName) {
			if (fs.existsSync(executableFile)) return;
			const executableMissing = `'${executableFile}' does not exist
 - if '${subcommandName}' is not meant to be an executable command, remove description parameter from '.command()' and use '.description()' instead
 - if the default executable name is not suitable, use the executableFile option to supply a custom name or path
 - ${executableDir ? `searched for local subcommand relative to directory '${executableDir}'` : "no directory for search for local subcommand, use .executableDir() to supply a custom directory"}`;
			throw new Error(executableMissing);
		}
		/**
		* Execute a sub-command executable.
		*
		* @private
		*/
		_executeSubCommand(subcommand, args) {
			args = args.slice();
			let launchWithNode = false;
			const sourceExt = [
				".js",
				".ts",
				".tsx",
				".mjs",
				".cjs"
			];
			function findFile(baseDir, baseName) {
				const localBin = path.resolve(baseDir, baseName);
				if (fs.existsSync(localBin)) return localBin;
				if (sourceExt.includes(path.extname(baseName))) return void 0;
				const foundExt = sourceExt.find((ext) => fs.existsSync(`${localBin}${ext}`));
				if (foundExt) return `${localBin}${foundExt}`;
			}
			this._checkForMissingMandatoryOptions();
			this._checkForConflictingOptions();
			let executableFile = subcommand._executableFile || `${this._name}-${subcommand._name}`;
			let executableDir = this._executableDir || "";
			if (this._scriptPath) {
				let resolvedScriptPath;
				try {
					resolvedScriptPath = fs.realpathSync(this._scriptPath);
				} catch {
					resolvedScriptPath = this._scriptPath;
				}
				executableDir = path.resolve(path.dirname(resolvedScriptPath), executableDir);
			}
			if (executableDir) {
				let localFile = findFile(executableDir, executableFile);
				if (!localFile && !subcommand._executableFile && this._scriptPath) {
					const legacyName = path.basename(this._scriptPath, path.extname(this._scriptPath));
					if (legacyName !== this._name) localFile = findFile(executableDir, `${legacyName}-${subcommand._name}`);
				}
				executableFile = localFile || executableFile;
			}
			launchWithNode = sourceExt.includes(path.extname(executableFile));
			let proc;
			if (process.platform !== "win32") {
				if (launchWithNode) {
					args.unshift(executableFile);
					args = incrementNodeInspectorPort(process.execArgv).concat(args);
					proc = childProcess.spawn(process.argv[0], args, { stdio: "inherit" });
				} else proc = childProcess.spawn(executableFile, args, { stdio: "inherit" });
			} else {
				this._checkForMissingExecutable(executableFile, executableDir, subcommand._name);
				args.unshift(executableFile);
				args = incrementNodeInspectorPort(process.execArgv).concat(args);
				proc = childProcess.spawn(process.execPath, args, { stdio: "inherit" });
			}
			if (!proc.killed) [
				"SIGUSR1",
				"SIGUSR2",
				"SIGTERM",
				"SIGINT",
				"SIGHUP"
			].forEach((signal) => {
				process.on(signal, () => {
					if (proc.killed === false && proc.exitCode === null) proc.kill(signal);
				});
			});
			const exitCallback = this._exitCallback;
			proc.on("close", (code) => {
				code = code ?? 1;
				if (!exitCallback) process.exit(code);
				else exitCallback(new CommanderError(code, "commander.executeSubCommandAsync", "(close)"));
			});
			proc.on("error", (err) => {
				if (err.code === "ENOENT") this._checkForMissingExecutable(executableFile, executableDir, subcommand._name);
				else if (err.code === "EACCES") throw new Error(`'${executableFile}' not executable`);
				if (!exitCallback) process.exit(1);
				else {
					const wrappedError = new CommanderError(1, "commander.executeSubCommandAsync", "(error)");
					wrappedError.nestedError = err;
					exitCallback(wrappedError);
				}
			});
			this.runningCommand = proc;
		}
		/**
		* @private
		*/
		_dispatchSubcommand(commandName, operands, unknown) {
			const subCommand = this._findCommand(commandName);
			if (!subCommand) this.help({ error: true });
			subCommand._prepareForParse();
			let promiseChain;
			promiseChain = this._chainOrCallSubCommandHook(promiseChain, subCommand, "preSubcommand");
			promiseChain = this._chainOrCall(promiseChain, () => {
				if (subCommand._executableHandler) this._executeSubCommand(subCommand, operands.concat(unknown));
				else return subCommand._parseCommand(operands, unknown);
			});
			return promiseChain;
		}
		/**
		* Invoke help directly if possible, or dispatch if necessary.
		* e.g. help foo
		*
		* @private
		*/
		_dispatchHelpCommand(subcommandName) {
			if (!subcommandName) this.help();
			const subCommand = this._findCommand(subcommandName);
			if (subCommand && !subCommand._executableHandler) subCommand.help();
			return this._dispatchSubcommand(subcommandName, [], [this._getHelpOption()?.long ?? this._getHelpOption()?.short ?? "--help"]);
		}
		/**
		* Check this.args against expected this.registeredArguments.
		*
		* @private
		*/
		_checkNumberOfArguments() {
			this.registeredArguments.forEach((arg, i) => {
				if (arg.required && this.args[i] == null) this.missingArgument(arg.name());
			});
			if (this.registeredArguments.length > 0 && this.registeredArguments[this.registeredArguments.length - 1].variadic) return;
			if (this.args.length > this.registeredArguments.length) this._excessArguments(this.args);
		}
		/**
		* Process this.args using this.registeredArguments and save as this.processedArgs!
		*
		* @private
		*/
		_processArguments() {
			const myParseArg = (argument, value, previous) => {
				let parsedValue = value;
				if (value !== null && argument.parseArg) {
					const invalidValueMessage = `error: command-argument value '${value}' is invalid for argument '${argument.name()}'.`;
					parsedValue = this._callParseArg(argument, value, previous, invalidValueMessage);
				}
				return parsedValue;
			};
			this._checkNumberOfArguments();
			const processedArgs = [];
			this.registeredArguments.forEach((declaredArg, index) => {
				let value = declaredArg.defaultValue;
				if (declaredArg.variadic) {
					if (index < this.args.length) {
						value = this.args.slice(index);
						if (declaredArg.parseArg) value = value.reduce((processed, v) => {
							return myParseArg(declaredArg, v, processed);
						}, declaredArg.defaultValue);
					} else if (value === void 0) value = [];
				} else if (index < this.args.length) {
					value = this.args[index];
					if (declaredArg.parseArg) value = myParseArg(declaredArg, value, declaredArg.defaultValue);
				}
				processedArgs[index] = value;
			});
			this.processedArgs = processedArgs;
		}
		/**
		* Once we have a promise we chain, but call synchronously until then.
		*
		* @param {(Promise|undefined)} promise
		* @param {Function} fn
		* @return {(Promise|undefined)}
		* @private
		*/
		_chainOrCall(promise, fn) {
			if (promise?.then && typeof promise.then === "function") return promise.then(() => fn());
			return fn();
		}
		/**
		*
		* @param {(Promise|undefined)} promise
		* @param {string} event
		* @return {(Promise|undefined)}
		* @private
		*/
		_chainOrCallHooks(promise, event) {
			let result = promise;
			const hooks = [];
			this._getCommandAndAncestors().reverse().filter((cmd) => cmd._lifeCycleHooks[event] !== void 0).forEach((hookedCommand) => {
				hookedCommand._lifeCycleHooks[event].forEach((callback) => {
					hooks.push({
						hookedCommand,
						callback
					});
				});
			});
			if (event === "postAction") hooks.reverse();
			hooks.forEach((hookDetail) => {
				result = this._chainOrCall(result, () => {
					return hookDetail.callback(hookDetail.hookedCommand, this);
				});
			});
			return result;
		}
		/**
		*
		* @param {(Promise|undefined)} promise
		* @param {Command} subCommand
		* @param {string} event
		* @return {(Promise|undefined)}
		* @private
		*/
		_chainOrCallSubCommandHook(promise, subCommand, event) {
			let result = promise;
			if (this._lifeCycleHooks[event] !== void 0) this._lifeCycleHooks[event].forEach((hook) => {
				result = this._chainOrCall(result, () => {
					return hook(this, subCommand);
				});
			});
			return result;
		}
		/**
		* Process arguments in context of this command.
		* Returns action result, in case it is a promise.
		*
		* @private
		*/
		_parseCommand(operands, unknown) {
			const parsed = this.parseOptions(unknown);
			this._parseOptionsEnv();
			this._parseOptionsImplied();
			operands = operands.concat(parsed.operands);
			unknown = parsed.unknown;
			this.args = operands.concat(unknown);
			if (operands && this._findCommand(operands[0])) return this._dispatchSubcommand(operands[0], operands.slice(1), unknown);
			if (this._getHelpCommand() && operands[0] === this._getHelpCommand().name()) return this._dispatchHelpCommand(operands[1]);
			if (this._defaultCommandName) {
				this._outputHelpIfRequested(unknown);
				return this._dispatchSubcommand(this._defaultCommandName, operands, unknown);
			}
			if (this.commands.length && this.args.length === 0 && !this._actionHandler && !this._defaultCommandName) this.help({ error: true });
			this._outputHelpIfRequested(parsed.unknown);
			this._checkForMissingMandatoryOptions();
			this._checkForConflictingOptions();
			const checkForUnknownOptions = () => {
				if (parsed.unknown.length > 0) this.unknownOption(parsed.unknown[0]);
			};
			const commandEvent = `command:${this.name()}`;
			if (this._actionHandler) {
				checkForUnknownOptions();
				this._processArguments();
				let promiseChain;
				promiseChain = this._chainOrCallHooks(promiseChain, "preAction");
				promiseChain = this._chainOrCall(promiseChain, () => this._actionHandler(this.processedArgs));
				if (this.parent) promiseChain = this._chainOrCall(promiseChain, () => {
					this.parent.emit(commandEvent, operands, unknown);
				});
				promiseChain = this._chainOrCallHooks(promiseChain, "postAction");
				return promiseChain;
			}
			if (this.parent?.listenerCount(commandEvent)) {
				checkForUnknownOptions();
				this._processArguments();
				this.parent.emit(commandEvent, operands, unknown);
			} else if (operands.length) {
				if (this._findCommand("*")) return this._dispatchSubcommand("*", operands, unknown);
				if (this.listenerCount("command:*")) this.emit("command:*", operands, unknown);
				else if (this.commands.length) this.unknownCommand();
				else {
					checkForUnknownOptions();
					this._processArguments();
				}
			} else if (this.commands.length) {
				checkForUnknownOptions();
				this.help({ error: true });
			} else {
				checkForUnknownOptions();
				this._processArguments();
			}
		}
		/**
		* Find matching command.
		*
		* @private
		* @return {Command | undefined}
		*/
		_findCommand(name) {
			if (!name) return void 0;
			return this.commands.find((cmd) => cmd._name === name || cmd._aliases.includes(name));
		}
		/**
		* Return an option matching `arg` if any.
		*
		* @param {string} arg
		* @return {Option}
		* @package
		*/
		_findOption(arg) {
			return this.options.find((option) => option.is(arg));
		}
		/**
		* Display an error message if a mandatory option does not have a value.
		* Called after checking for help flags in leaf subcommand.
		*
		* @private
		*/
		_checkForMissingMandatoryOptions() {
			this._getCommandAndAncestors().forEach((cmd) => {
				cmd.options.forEach((anOption) => {
					if (anOption.mandatory && cmd.getOptionValue(anOption.attributeName()) === void 0) cmd.missingMandatoryOptionValue(anOption);
				});
			});
		}
		/**
		* Display an error message if conflicting options are used together in this.
		*
		* @private
		*/
		_checkForConflictingLocalOptions() {
			const definedNonDefaultOptions = this.options.filter((option) => {
				const optionKey = option.attributeName();
				if (this.getOptionValue(optionKey) === void 0) return false;
				return this.getOptionValueSource(optionKey) !== "default";
			});
			definedNonDefaultOptions.filter((option) => option.conflictsWith.length > 0).forEach((option) => {
				const conflictingAndDefined = definedNonDefaultOptions.find((defined) => option.conflictsWith.includes(defined.attributeName()));
				if (conflictingAndDefined) this._conflictingOption(option, conflictingAndDefined);
			});
		}
		/**
		* Display an error message if conflicting options are used together.
		* Called after checking for help flags in leaf subcommand.
		*
		* @private
		*/
		_checkForConflictingOptions() {
			this._getCommandAndAncestors().forEach((cmd) => {
				cmd._checkForConflictingLocalOptions();
			});
		}
		/**
		* Parse options from `argv` removing known options,
		* and return argv split into operands and unknown arguments.
		*
		* Side effects: modifies command by storing options. Does not reset state if called again.
		*
		* Examples:
		*
		*     argv => operands, unknown
		*     --known kkk op => [op], []
		*     op --known kkk => [op], []
		*     sub --unknown uuu op => [sub], [--unknown uuu op]
		*     sub -- --unknown uuu op => [sub --unknown uuu op], []
		*
		* @param {string[]} args
		* @return {{operands: string[], unknown: string[]}}
		*/
		parseOptions(args) {
			const operands = [];
			const unknown = [];
			let dest = operands;
			function maybeOption(arg) {
				return arg.length > 1 && arg[0] === "-";
			}
			const negativeNumberArg = (arg) => {
				if (!/^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.test(arg)) return false;
				return !this._getCommandAndAncestors().some((cmd) => cmd.options.map((opt) => opt.short).some((short) => /^-\d$/.test(short)));
			};
			let activeVariadicOption = null;
			let activeGroup = null;
			let i = 0;
			while (i < args.length || activeGroup) {
				const arg = activeGroup ?? args[i++];
				activeGroup = null;
				if (arg === "--") {
					if (dest === unknown) dest.push(arg);
					dest.push(...args.slice(i));
					break;
				}
				if (activeVariadicOption && (!maybeOption(arg) || negativeNumberArg(arg))) {
					this.emit(`option:${activeVariadicOption.name()}`, arg);
					continue;
				}
				activeVariadicOption = null;
				if (maybeOption(arg)) {
					const option = this._findOption(arg);
					if (option) {
						if (option.required) {
							const value = args[i++];
							if (value === void 0) this.optionMissingArgument(option);
							this.emit(`option:${option.name()}`, value);
						} else if (option.optional) {
							let value = null;
							if (i < args.length && (!maybeOption(args[i]) || negativeNumberArg(args[i]))) value = args[i++];
							this.emit(`option:${option.name()}`, value);
						} else this.emit(`option:${option.name()}`);
						activeVariadicOption = option.variadic ? option : null;
						continue;
					}
				}
				if (arg.length > 2 && arg[0] === "-" && arg[1] !== "-") {
					const option = this._findOption(`-${arg[1]}`);
					if (option) {
						if (option.required || option.optional && this._combineFlagAndOptionalValue) this.emit(`option:${option.name()}`, arg.slice(2));
						else {
							this.emit(`option:${option.name()}`);
							activeGroup = `-${arg.slice(2)}`;
						}
						continue;
					}
				}
				if (/^--[^=]+=/.test(arg)) {
					const index = arg.indexOf("=");
					const option = this._findOption(arg.slice(0, index));
					if (option && (option.required || option.optional)) {
						this.emit(`option:${option.name()}`, arg.slice(index + 1));
						continue;
					}
				}
				if (dest === operands && maybeOption(arg) && !(this.commands.length === 0 && negativeNumberArg(arg))) dest = unknown;
				if ((this._enablePositionalOptions || this._passThroughOptions) && operands.length === 0 && unknown.length === 0) {
					if (this._findCommand(arg)) {
						operands.push(arg);
						unknown.push(...args.slice(i));
						break;
					} else if (this._getHelpCommand() && arg === this._getHelpCommand().name()) {
						operands.push(arg, ...args.slice(i));
						break;
					} else if (this._defaultCommandName) {
						unknown.push(arg, ...args.slice(i));
						break;
					}
				}
				if (this._passThroughOptions) {
					dest.push(arg, ...args.slice(i));
					break;
				}
				dest.push(arg);
			}
			return {
				operands,
				unknown
			};
		}
		/**
		* Return an object containing local option values as key-value pairs.
		*
		* @return {object}
		*/
		opts() {
			if (this._storeOptionsAsProperties) {
				const result = {};
				const len = this.options.length;
				for (let i = 0; i < len; i++) {
					const key = this.options[i].attributeName();
					result[key] = key === this._versionOptionName ? this._version : this[key];
				}
				return result;
			}
			return this._optionValues;
		}
		/**
		* Return an object containing merged local and global option values as key-value pairs.
		*
		* @return {object}
		*/
		optsWithGlobals() {
			return this._getCommandAndAncestors().reduce((combinedOptions, cmd) => Object.assign(combinedOptions, cmd.opts()), {});
		}
		/**
		* Display error message and exit (or call exitOverride).
		*
		* @param {string} message
		* @param {object} [errorOptions]
		* @param {string} [errorOptions.code] - an id string representing the error
		* @param {number} [errorOptions.exitCode] - used with process.exit
		*/
		error(message, errorOptions) {
			this._outputConfiguration.outputError(`${message}\n`, this._outputConfiguration.writeErr);
			if (typeof this._showHelpAfterError === "string") this._outputConfiguration.writeErr(`${this._showHelpAfterError}\n`);
			else if (this._showHelpAfterError) {
				this._outputConfiguration.writeErr("\n");
				this.outputHelp({ error: true });
			}
			const config = errorOptions || {};
			const exitCode = config.exitCode || 1;
			const code = config.code || "commander.error";
			this._exit(exitCode, code, message);
		}
		/**
		* Apply any option related environment variables, if option does
		* not have a value from cli or client code.
		*
		* @private
		*/
		_parseOptionsEnv() {
			this.options.forEach((option) => {
				if (option.envVar && option.envVar in process.env) {
					const optionKey = option.attributeName();
					if (this.getOptionValue(optionKey) === void 0 || [
						"default",
						"config",
						"env"
					].includes(this.getOptionValueSource(optionKey))) {
						if (option.required || option.optional) this.emit(`optionEnv:${option.name()}`, process.env[option.envVar]);
						else this.emit(`optionEnv:${option.name()}`);
					}
				}
			});
		}
		/**
		* Apply any implied option values, if option is undefined or default value.
		*
		* @private
		*/
		_parseOptionsImplied() {
			const dualHelper = new DualOptions(this.options);
			const hasCustomOptionValue = (optionKey) => {
				return this.getOptionValue(optionKey) !== void 0 && !["default", "implied"].includes(this.getOptionValueSource(optionKey));
			};
			this.options.filter((option) => option.implied !== void 0 && hasCustomOptionValue(option.attributeName()) && dualHelper.valueFromOption(this.getOptionValue(option.attributeName()), option)).forEach((option) => {
				Object.keys(option.implied).filter((impliedKey) => !hasCustomOptionValue(impliedKey)).forEach((impliedKey) => {
					this.setOptionValueWithSource(impliedKey, option.implied[impliedKey], "implied");
				});
			});
		}
		/**
		* Argument `name` is missing.
		*
		* @param {string} name
		* @private
		*/
		missingArgument(name) {
			const message = `error: missing required argument '${name}'`;
			this.error(message, { code: "commander.missingArgument" });
		}
		/**
		* `Option` is missing an argument.
		*
		* @param {Option} option
		* @private
		*/
		optionMissingArgument(option) {
			const message = `error: option '${option.flags}' argument missing`;
			this.error(message, { code: "commander.optionMissingArgument" });
		}
		/**
		* `Option` does not have a value, and is a mandatory option.
		*
		* @param {Option} option
		* @private
		*/
		missingMandatoryOptionValue(option) {
			const message = `error: required option '${option.flags}' not specified`;
			this.error(message, { code: "commander.missingMandatoryOptionValue" });
		}
		/**
		* `Option` conflicts with another option.
		*
		* @param {Option} option
		* @param {Option} conflictingOption
		* @private
		*/
		_conflictingOption(option, conflictingOption) {
			const findBestOptionFromValue = (option) => {
				const optionKey = option.attributeName();
				const optionValue = this.getOptionValue(optionKey);
				const negativeOption = this.options.find((target) => target.negate && optionKey === target.attributeName());
				const positiveOption = this.options.find((target) => !target.negate && optionKey === target.attributeName());
				if (negativeOption && (negativeOption.presetArg === void 0 && optionValue === false || negativeOption.presetArg !== void 0 && optionValue === negativeOption.presetArg)) return negativeOption;
				return positiveOption || option;
			};
			const getErrorMessage = (option) => {
				const bestOption = findBestOptionFromValue(option);
				const optionKey = bestOption.attributeName();
				if (this.getOptionValueSource(optionKey) === "env") return `environment variable '${bestOption.envVar}'`;
				return `option '${bestOption.flags}'`;
			};
			const message = `error: ${getErrorMessage(option)} cannot be used with ${getErrorMessage(conflictingOption)}`;
			this.error(message, { code: "commander.conflictingOption" });
		}
		/**
		* Unknown option `flag`.
		*
		* @param {string} flag
		* @private
		*/
		unknownOption(flag) {
			if (this._allowUnknownOption) return;
			let suggestion = "";
			if (flag.startsWith("--") && this._showSuggestionAfterError) {
				let candidateFlags = [];
				let command = this;
				do {
					const moreFlags = command.createHelp().visibleOptions(command).filter((option) => option.long).map((option) => option.long);
					candidateFlags = candidateFlags.concat(moreFlags);
					command = command.parent;
				} while (command && !command._enablePositionalOptions);
				suggestion = suggestSimilar(flag, candidateFlags);
			}
			const message = `error: unknown option '${flag}'${suggestion}`;
			this.error(message, { code: "commander.unknownOption" });
		}
		/**
		* Excess arguments, more than expected.
		*
		* @param {string[]} receivedArgs
		* @private
		*/
		_excessArguments(receivedArgs) {
			if (this._allowExcessArguments) return;
			const expected = this.registeredArguments.length;
			const s = expected === 1 ? "" : "s";
			const message = `error: too many arguments${this.parent ? ` for '${this.name()}'` : ""}. Expected ${expected} argument${s} but got ${receivedArgs.length}.`;
			this.error(message, { code: "commander.excessArguments" });
		}
		/**
		* Unknown command.
		*
		* @private
		*/
		unknownCommand() {
			const unknownName = this.args[0];
			let suggestion = "";
			if (this._showSuggestionAfterError) {
				const candidateNames = [];
				this.createHelp().visibleCommands(this).forEach((command) => {
					candidateNames.push(command.name());
					if (command.alias()) candidateNames.push(command.alias());
				});
				suggestion = suggestSimilar(unknownName, candidateNames);
			}
			const message = `error: unknown command '${unknownName}'${suggestion}`;
			this.error(message, { code: "commander.unknownCommand" });
		}
		/**
		* Get or set the program version.
		*
		* This method auto-registers the "-V, --version" option which will print the version number.
		*
		* You can optionally supply the flags and description to override the defaults.
		*
		* @param {string} [str]
		* @param {string} [flags]
		* @param {string} [description]
		* @return {(this | string | undefined)} `this` command for chaining, or version string if no arguments
		*/
		version(str, flags, description) {
			if (str === void 0) return this._version;
			this._version = str;
			flags = flags || "-V, --version";
			description = description || "output the version number";
			const versionOption = this.createOption(flags, description);
			this._versionOptionName = versionOption.attributeName();
			this._registerOption(versionOption);
			this.on("option:" + versionOption.name(), () => {
				this._outputConfiguration.writeOut(`${str}\n`);
				this._exit(0, "commander.version", str);
			});
			return this;
		}
		/**
		* Set the description.
		*
		* @param {string} [str]
		* @param {object} [argsDescription]
		* @return {(string|Command)}
		*/
		description(str, argsDescription) {
			if (str === void 0 && argsDescription === void 0) return this._description;
			this._description = str;
			if (argsDescription) this._argsDescription = argsDescription;
			return this;
		}
		/**
		* Set the summary. Used when listed as subcommand of parent.
		*
		* @param {string} [str]
		* @return {(string|Command)}
		*/
		summary(str) {
			if (str === void 0) return this._summary;
			this._summary = str;
			return this;
		}
		/**
		* Set an alias for the command.
		*
		* You may call more than once to add multiple aliases. Only the first alias is shown in the auto-generated help.
		*
		* @param {string} [alias]
		* @return {(string|Command)}
		*/
		alias(alias) {
			if (alias === void 0) return this._aliases[0];
			/** @type {Command} */
			let command = this;
			if (this.commands.length !== 0 && this.commands[this.commands.length - 1]._executableHandler) command = this.commands[this.commands.length - 1];
			if (alias === command._name) throw new Error("Command alias can't be the same as its name");
			const matchingCommand = this.parent?._findCommand(alias);
			if (matchingCommand) {
				const existingCmd = [matchingCommand.name()].concat(matchingCommand.aliases()).join("|");
				throw new Error(`cannot add alias '${alias}' to command '${this.name()}' as already have command '${existingCmd}'`);
			}
			command._aliases.push(alias);
			return this;
		}
		/**
		* Set aliases for the command.
		*
		* Only the first alias is shown in the auto-generated help.
		*
		* @param {string[]} [aliases]
		* @return {(string[]|Command)}
		*/
		aliases(aliases) {
			if (aliases === void 0) return this._aliases;
			aliases.forEach((alias) => this.alias(alias));
			return this;
		}
		/**
		* Set / get the command usage `str`.
		*
		* @param {string} [str]
		* @return {(string|Command)}
		*/
		usage(str) {
			if (str === void 0) {
				if (this._usage) return this._usage;
				const args = this.registeredArguments.map((arg) => {
					return humanReadableArgName(arg);
				});
				return [].concat(this.options.length || this._helpOption !== null ? "[options]" : [], this.commands.length ? "[command]" : [], this.registeredArguments.length ? args : []).join(" ");
			}
			this._usage = str;
			return this;
		}
		/**
		* Get or set the name of the command.
		*
		* @param {string} [str]
		* @return {(string|Command)}
		*/
		name(str) {
			if (str === void 0) return this._name;
			this._name = str;
			return this;
		}
		/**
		* Set/get the help group heading for this subcommand in parent command's help.
		*
		* @param {string} [heading]
		* @return {Command | string}
		*/
		helpGroup(heading) {
			if (heading === void 0) return this._helpGroupHeading ?? "";
			this._helpGroupHeading = heading;
			return this;
		}
		/**
		* Set/get the default help group heading for subcommands added to this command.
		* (This does not override a group set directly on the subcommand using .helpGroup().)
		*
		* @example
		* program.commandsGroup('Development Commands:);
		* program.command('watch')...
		* program.command('lint')...
		* ...
		*
		* @param {string} [heading]
		* @returns {Command | string}
		*/
		commandsGroup(heading) {
			if (heading === void 0) return this._defaultCommandGroup ?? "";
			this._defaultCommandGroup = heading;
			return this;
		}
		/**
		* Set/get the default help group heading for options added to this command.
		* (This does not override a group set directly on the option using .helpGroup().)
		*
		* @example
		* program
		*   .optionsGroup('Development Options:')
		*   .option('-d, --debug', 'output extra debugging')
		*   .option('-p, --profile', 'output profiling information')
		*
		* @param {string} [heading]
		* @returns {Command | string}
		*/
		optionsGroup(heading) {
			if (heading === void 0) return this._defaultOptionGroup ?? "";
			this._defaultOptionGroup = heading;
			return this;
		}
		/**
		* @param {Option} option
		* @private
		*/
		_initOptionGroup(option) {
			if (this._defaultOptionGroup && !option.helpGroupHeading) option.helpGroup(this._defaultOptionGroup);
		}
		/**
		* @param {Command} cmd
		* @private
		*/
		_initCommandGroup(cmd) {
			if (this._defaultCommandGroup && !cmd.helpGroup()) cmd.helpGroup(this._defaultCommandGroup);
		}
		/**
		* Set the name of the command from script filename, such as process.argv[1],
		* or require.main.filename, or __filename.
		*
		* (Used internally and public although not documented in README.)
		*
		* @example
		* program.nameFromFilename(require.main.filename);
		*
		* @param {string} filename
		* @return {Command}
		*/
		nameFromFilename(filename) {
			this._name = path.basename(filename, path.extname(filename));
			return this;
		}
		/**
		* Get or set the directory for searching for executable subcommands of this command.
		*
		* @example
		* program.executableDir(__dirname);
		* // or
		* program.executableDir('subcommands');
		*
		* @param {string} [path]
		* @return {(string|null|Command)}
		*/
		executableDir(path) {
			if (path === void 0) return this._executableDir;
			this._executableDir = path;
			return this;
		}
		/**
		* Return program help documentation.
		*
		* @param {{ error: boolean }} [contextOptions] - pass {error:true} to wrap for stderr instead of stdout
		* @return {string}
		*/
		helpInformation(contextOptions) {
			const helper = this.createHelp();
			const context = this._getOutputContext(contextOptions);
			helper.prepareContext({
				error: context.error,
				helpWidth: context.helpWidth,
				outputHasColors: context.hasColors
			});
			const text = helper.formatHelp(this, helper);
			if (context.hasColors) return text;
			return this._outputConfiguration.stripColor(text);
		}
		/**
		* @typedef HelpContext
		* @type {object}
		* @property {boolean} error
		* @property {number} helpWidth
		* @property {boolean} hasColors
		* @property {function} write - includes stripColor if needed
		*
		* @returns {HelpContext}
		* @private
		*/
		_getOutputContext(contextOptions) {
			contextOptions = contextOptions || {};
			const error = !!contextOptions.error;
			let baseWrite;
			let hasColors;
			let helpWidth;
			if (error) {
				baseWrite = (str) => this._outputConfiguration.writeErr(str);
				hasColors = this._outputConfiguration.getErrHasColors();
				helpWidth = this._outputConfiguration.getErrHelpWidth();
			} else {
				baseWrite = (str) => this._outputConfiguration.writeOut(str);
				hasColors = this._outputConfiguration.getOutHasColors();
				helpWidth = this._outputConfiguration.getOutHelpWidth();
			}
			const write = (str) => {
				if (!hasColors) str = this._outputConfiguration.stripColor(str);
				return baseWrite(str);
			};
			return {
				error,
				write,
				hasColors,
				helpWidth
			};
		}
		/**
		* Output help information for this command.
		*
		* Outputs built-in help, and custom text added using `.addHelpText()`.
		*
		* @param {{ error: boolean } | Function} [contextOptions] - pass {error:true} to write to stderr instead of stdout
		*/
		outputHelp(contextOptions) {
			let deprecatedCallback;
			if (typeof contextOptions === "function") {
				deprecatedCallback = contextOptions;
				contextOptions = void 0;
			}
			const outputContext = this._getOutputContext(contextOptions);
			/** @type {HelpTextEventContext} */
			const eventContext = {
				error: outputContext.error,
				write: outputContext.write,
				command: this
			};
			this._getCommandAndAncestors().reverse().forEach((command) => command.emit("beforeAllHelp", eventContext));
			this.emit("beforeHelp", eventContext);
			let helpInformation = this.helpInformation({ error: outputContext.error });
			if (deprecatedCallback) {
				helpInformation = deprecatedCallback(helpInformation);
				if (typeof helpInformation !== "string" && !Buffer.isBuffer(helpInformation)) throw new Error("outputHelp callback must return a string or a Buffer");
			}
			outputContext.write(helpInformation);
			if (this._getHelpOption()?.long) this.emit(this._getHelpOption().long);
			this.emit("afterHelp", eventContext);
			this._getCommandAndAncestors().forEach((command) => command.emit("afterAllHelp", eventContext));
		}
		/**
		* You can pass in flags and a description to customise the built-in help option.
		* Pass in false to disable the built-in help option.
		*
		* @example
		* program.helpOption('-?, --help' 'show help'); // customise
		* program.helpOption(false); // disable
		*
		* @param {(string | boolean)} flags
		* @param {string} [description]
		* @return {Command} `this` command for chaining
		*/
		helpOption(flags, description) {
			if (typeof flags === "boolean") {
				if (flags) {
					if (this._helpOption === null) this._helpOption = void 0;
					if (this._defaultOptionGroup) this._initOptionGroup(this._getHelpOption());
				} else this._helpOption = null;
				return this;
			}
			this._helpOption = this.createOption(flags ?? "-h, --help", description ?? "display help for command");
			if (flags || description) this._initOptionGroup(this._helpOption);
			return this;
		}
		/**
		* Lazy create help option.
		* Returns null if has been disabled with .helpOption(false).
		*
		* @returns {(Option | null)} the help option
		* @package
		*/
		_getHelpOption() {
			if (this._helpOption === void 0) this.helpOption(void 0, void 0);
			return this._helpOption;
		}
		/**
		* Supply your own option to use for the built-in help option.
		* This is an alternative to using helpOption() to customise the flags and description etc.
		*
		* @param {Option} option
		* @return {Command} `this` command for chaining
		*/
		addHelpOption(option) {
			this._helpOption = option;
			this._initOptionGroup(option);
			return this;
		}
		/**
		* Output help information and exit.
		*
		* Outputs built-in help, and custom text added using `.addHelpText()`.
		*
		* @param {{ error: boolean }} [contextOptions] - pass {error:true} to write to stderr instead of stdout
		*/
		help(contextOptions) {
			this.outputHelp(contextOptions);
			let exitCode = Number(process.exitCode ?? 0);
			if (exitCode === 0 && contextOptions && typeof contextOptions !== "function" && contextOptions.error) exitCode = 1;
			this._exit(exitCode, "commander.help", "(outputHelp)");
		}
		/**
		* // Do a little typing to coordinate emit and listener for the help text events.
		* @typedef HelpTextEventContext
		* @type {object}
		* @property {boolean} error
		* @property {Command} command
		* @property {function} write
		*/
		/**
		* Add additional text to be displayed with the built-in help.
		*
		* Position is 'before' or 'after' to affect just this command,
		* and 'beforeAll' or 'afterAll' to affect this command and all its subcommands.
		*
		* @param {string} position - before or after built-in help
		* @param {(string | Function)} text - string to add, or a function returning a string
		* @return {Command} `this` command for chaining
		*/
		addHelpText(position, text) {
			const allowedValues = [
				"beforeAll",
				"before",
				"after",
				"afterAll"
			];
			if (!allowedValues.includes(position)) throw new Error(`Unexpected value for position to addHelpText.
Expecting one of '${allowedValues.join("', '")}'`);
			const helpEvent = `${position}Help`;
			this.on(helpEvent, (context) => {
				let helpStr;
				if (typeof text === "function") helpStr = text({
					error: context.error,
					command: context.command
				});
				else helpStr = text;
				if (helpStr) context.write(`${helpStr}\n`);
			});
			return this;
		}
		/**
		* Output help information if help flags specified
		*
		* @param {Array} args - array of options to search for help flags
		* @private
		*/
		_outputHelpIfRequested(args) {
			const helpOption = this._getHelpOption();
			if (helpOption && args.find((arg) => helpOption.is(arg))) {
				this.outputHelp();
				this._exit(0, "commander.helpDisplayed", "(outputHelp)");
			}
		}
	};
	/**
	* Scan arguments and increment port number for inspect calls (to avoid conflicts when spawning new command).
	*
	* @param {string[]} args - array of arguments from node.execArgv
	* @returns {string[]}
	* @private
	*/
	function incrementNodeInspectorPort(args) {
		return args.map((arg) => {
			if (!arg.startsWith("--inspect")) return arg;
			let debugOption;
			let debugHost = "127.0.0.1";
			let debugPort = "9229";
			let match;
			if ((match = arg.match(/^(--inspect(-brk)?)$/)) !== null) debugOption = match[1];
			else if ((match = arg.match(/^(--inspect(-brk|-port)?)=([^:]+)$/)) !== null) {
				debugOption = match[1];
				if (/^\d+$/.test(match[3])) debugPort = match[3];
				else debugHost = match[3];
			} else if ((match = arg.match(/^(--inspect(-brk|-port)?)=([^:]+):(\d+)$/)) !== null) {
				debugOption = match[1];
				debugHost = match[3];
				debugPort = match[4];
			}
			if (debugOption && debugPort !== "0") return `${debugOption}=${debugHost}:${parseInt(debugPort) + 1}`;
			return arg;
		});
	}
	/**
	* @returns {boolean | undefined}
	* @package
	*/
	function useColor() {
		if (process.env.NO_COLOR || process.env.FORCE_COLOR === "0" || process.env.FORCE_COLOR === "false") return false;
		if (process.env.FORCE_COLOR || process.env.CLICOLOR_FORCE !== void 0) return true;
	}
	exports.Command = Command;
	exports.useColor = useColor;
}));
const { program: program$1, createCommand, createArgument, createOption, CommanderError, InvalidArgumentError, InvalidOptionArgumentError, Command, Argument, Option, Help } = (/* @__PURE__ */ __toESM((/* @__PURE__ */ __commonJSMin(((exports) => {
	const { Argument } = require_argument();
	const { Command } = require_command();
	const { CommanderError, InvalidArgumentError } = require_error();
	const { Help } = require_help();
	const { Option } = require_option();
	exports.program = new Command();
	exports.createCommand = (name) => new Command(name);
	exports.createOption = (flags, description) => new Option(flags, description);
	exports.createArgument = (name, description) => new Argument(name, description);
	/**
	* Expose classes
	*/
	exports.Command = Command;
	exports.Option = Option;
	exports.Argument = Argument;
	exports.Help = Help;
	exports.CommanderError = CommanderError;
	exports.InvalidArgumentError = InvalidArgumentError;
	exports.InvalidOptionArgumentError = InvalidArgumentError;
})))(), 1)).default;
// src/adapters/log.ts
/**
* A live line with the seconds since the start on a terminal, plain lines otherwise. Messages quote names and output of a
* project and its guests, which must not steer the terminal.
*/
function openLog(stream = process.stderr) {
	const start = Date.now();
	const live = stream.isTTY === true;
	let shown = false;
	const clear = () => {
		if (shown) stream.write("\r\x1B[2K");
		shown = false;
	};
	return {
		clear,
		progress(message) {
			const line = `bpfgate: [${Math.round((Date.now() - start) / 1e3)} s] ${toPlainText(message)}`;
			if (!live) {
				stream.write(`${line}\n`);
				return;
			}
			clear();
			stream.write(line.slice(0, (stream.columns ?? 80) - 1));
			shown = true;
		},
		warn(message) {
			clear();
			stream.write(`bpfgate: warning: ${toPlainText(message)}\n`);
		}
	};
}
// src/demo.ts
const demoBase = "base";
const demoHead = "head";
/** Each is a cargo feature that head turns on by default, in a commit of its own. */
const plants = [{
	crate: "xdp-common",
	feature: "slow-fibonacci",
	message: "xdp: compute the Fibonacci sequence for every packet"
}, {
	crate: "profiler",
	feature: "oops",
	message: "profiler: take a short break after each sample"
}];
/**
* What they make worse, as benchmark and measure, each on every kernel; nothing else may change. A break that is asked
* for from the heap shows in what was asked for in total, but not in the peak, and is given back at the end.
*/
const planted = [
	{
		name: "macro/fun_xdp bpf-instructions",
		pattern: /^macro\/fun_xdp.* bpf-instructions$/
	},
	{
		name: "macro/fun_xdp latency",
		pattern: /^macro\/fun_xdp.* (net-)?latency$/
	},
	{
		name: "micro/source_addr instructions",
		pattern: /^micro\/source_addr instructions$/
	},
	{
		name: "profiler/process_sample instructions",
		pattern: /^profiler\/process_sample instructions$/
	},
	{
		name: "heap/process_sample total-bytes",
		pattern: /^heap\/process_sample total-bytes$/
	},
	{
		name: "heap/process_sample total-blocks",
		pattern: /^heap\/process_sample total-blocks$/
	},
	{
		name: "xdp/fun_xdp verified-instructions",
		pattern: /^xdp\/fun_xdp verified-instructions$/
	},
	{
		name: "xdp/fun_xdp stack-bytes",
		pattern: /^xdp\/fun_xdp stack-bytes$/
	},
	{
		name: "xdp/fun_xdp xlated-bytes",
		pattern: /^xdp\/fun_xdp xlated-bytes$/
	},
	{
		name: "xdp/fun_xdp jited-bytes",
		pattern: /^xdp\/fun_xdp jited-bytes$/
	}
];
/**
* Makes the repository, with tags `base` and `head`, or finds it in the cache. Equal sources give equal commits.
*
* @returns the absolute path of the project
*/
async function makeDemoRepository(cache) {
	const source = join(packageRoot, "example-project");
	const key = await hashFolder(source);
	const folder = await publishEntry(cache, "demo", key.slice(0, 16), async (entry) => {
		const project = join(entry, "example-project");
		await cp(source, project, {
			recursive: true,
			filter: (path) => !isGenerated(path, source)
		});
		await git(project, [
			"init",
			"--quiet",
			"--initial-branch=main"
		]);
		await commit(project, "The example project");
		await git(project, ["tag", demoBase]);
		for (const { crate, feature, message } of plants) {
			const manifest = join(project, crate, "Cargo.toml");
			const before = await readFile(manifest, "utf8");
			const after = before.replace("default = []", `default = ["${feature}"]`);
			if (after === before) throw new MachineError(`${manifest} has no \`default = []\` to plant the regression in`);
			await writeFile(manifest, after);
			await commit(project, message);
		}
		await git(project, ["tag", demoHead]);
	});
	return join(folder, "example-project");
}
/** What the gate should have said and did not; empty when it behaved as it must. */
function demoFailures(results) {
	const failures = [];
	for (const { id, error } of results.kernels) {
		if (error !== null) {
			failures.push(`${id} could not be measured: ${error.message}`);
			continue;
		}
		const compared = results.comparisons.filter(({ kernel }) => kernel === id).map(toKey);
		const missing = planted.filter(({ pattern }) => !compared.some((key) => pattern.test(key)));
		failures.push(...missing.map(({ name }) => `${name} was not compared on ${id}`));
	}
	for (const comparison of results.comparisons) {
		const { kernel, benchmark, measure, verdict, delta } = comparison;
		const expected = planted.some(({ pattern }) => pattern.test(toKey(comparison))) ? "regression" : "unchanged";
		if (verdict === expected) continue;
		failures.push(`${benchmark} (${measure}) on ${kernel}: ${verdict} (${delta}), expected ${expected}`);
	}
	return failures;
}
function toKey({ benchmark, measure }) {
	return `${benchmark} ${measure}`;
}
function isGenerated(path, source) {
	return path === join(source, "target") || path === join(source, ".git");
}
/** Of the folder's files and of what is planted in them. */
async function hashFolder(folder) {
	const hash = createHash("sha256").update(JSON.stringify(plants));
	const walk = async (path) => {
		const entries = await readdir(path, { withFileTypes: true });
		for (const entry of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
			const child = join(path, entry.name);
			if (isGenerated(child, folder)) continue;
			if (entry.isDirectory()) await walk(child);
			else hash.update(child.slice(folder.length)).update(await readFile(child));
		}
	};
	await walk(folder);
	return hash.digest("hex");
}
async function commit(project, message) {
	await git(project, ["add", "--all"]);
	await git(project, [
		"commit",
		"--quiet",
		"--message",
		message
	]);
}
function git(project, args) {
	const env = Object.fromEntries(Object.entries({
		NAME: "bpfgate demo",
		EMAIL: "demo@bpfgate.invalid",
		DATE: "2026-01-01T00:00:00Z"
	}).flatMap(([part, value]) => [[`GIT_AUTHOR_${part}`, value], [`GIT_COMMITTER_${part}`, value]]));
	return runOrThrow("git", args, {
		cwd: project,
		env: {
			PATH: process.env.PATH,
			...env,
			GIT_CONFIG_GLOBAL: "/dev/null",
			GIT_CONFIG_SYSTEM: "/dev/null"
		}
	});
}
// src/export/select.ts
/** @throws InputError when there is none */
function selectMeasurements({ measurements }, revision) {
	const selected = measurements.filter((measurement) => measurement.revision === revision);
	if (selected.length > 0) return selected;
	throw new InputError(`the result file holds no measurement of ${revision}`, { hint: "give the results.json of a run that measured at least one kernel" });
}
/** `fun_xdp (6.1)`: the name of a benchmark where kernels are not a dimension of their own. */
function nameOnKernel({ benchmark, kernel }) {
	return `${benchmark} (${kernel})`;
}
/**
* The measure with its unit, for formats without units: `bpf-instructions`, whose name tells the unit, but
* `latency-instructions`, since a latency would else be taken for nanoseconds.
*/
function nameMeasure(measurement) {
	const { lane, measure, unit } = measurement;
	if (lane === "time" && measure === unit) return `time-${measure}`;
	return namesUnit(measurement) ? measure : `${measure}-${unit.split("/")[0]}`;
}
/**
* The other tools key a value by its name and take the last of two.
*
* @param key what the format keys a value by
* @throws InputError when two measurements have one
*/
function requireDistinct(measurements, key) {
	const seen = /* @__PURE__ */ new Map();
	for (const measurement of measurements) {
		const other = seen.get(key(measurement));
		if (other !== void 0) throw new InputError(`${describe(other)} and ${describe(measurement)} would have the same name ${JSON.stringify(key(measurement))}`, { hint: "give each benchmark and measure a name of its own, or export another format" });
		seen.set(key(measurement), measurement);
	}
}
/** As JSON, since a name may hold anything. */
function describe({ benchmark, measure, lane, kernel }) {
	return `${JSON.stringify(measure)} of ${JSON.stringify(benchmark)} (${lane}, kernel ${kernel})`;
}
// src/export/bmf.ts
/**
* One object, `{"macro/fun_xdp (6.1)": {"bpf-instructions": {"value": 165}}}`.
*
* The format has no units, so they are part of the measure. Bounds are what the method cannot tell apart; an exact
* value has none.
*
* @throws InputError when there is no measurement, or when two would have one name
*/
function exportBmf(results, revision = "head") {
	const measurements = selectMeasurements(results, revision);
	requireDistinct(measurements, (measurement) => `${nameOnKernel(measurement)}: ${toSlug(measurement)}`);
	const benchmarks = groupBy(measurements, nameOnKernel).flatMap((group) => group.slice(0, 1).map((first) => [nameOnKernel(first), Object.fromEntries(group.map((measurement) => [toSlug(measurement), toMetric(measurement)]))]));
	return `${JSON.stringify(Object.fromEntries(benchmarks), null, 2)}\n`;
}
/** Bencher's own `latency` is in nanoseconds. */
function toSlug(measurement) {
	const name = measurement.measure === "latency" && measurement.unit === "ns" ? "latency" : nameMeasure(measurement);
	const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
	return slug === "" ? name : slug;
}
function toMetric({ value, exact, resolution }) {
	const error = Math.abs(value) * resolution;
	const bounds = {
		lower_value: value - error,
		upper_value: value + error
	};
	const isBounded = Object.values(bounds).every(Number.isFinite);
	return exact || error === 0 || !isBounded ? { value } : {
		value,
		...bounds
	};
}
// src/export/github-action-benchmark.ts
/**
* An array of `{name, unit, value, range?, extra}`; the name, `bpf-instructions of macro/fun_xdp (6.1)`, is what the
* action compares by. `range` is what the method cannot tell apart; an exact value has none. A measure that is better
* when higher has no place in this format and is left out.
*
* @throws InputError when there is no measurement left, or when two would have one name
*/
function exportGithubActionBenchmark(results, revision = "head") {
	const smaller = results.measurements.filter(({ better }) => better === "lower");
	const measurements = selectMeasurements({
		...results,
		measurements: smaller
	}, revision);
	requireDistinct(measurements, nameOf);
	const releases = new Map(results.kernels.map(({ id, release }) => [id, release]));
	const entries = measurements.map((measurement) => {
		const { kernel, unit, value, exact, resolution, runCount } = measurement;
		const error = Math.abs(value) * resolution;
		const facts = [
			`kernel ${releases.get(kernel) ?? kernel}`,
			exact ? "exact" : `resolution ${Number((resolution * 100).toPrecision(3))}%`,
			...runCount === null ? [] : [`${runCount} runs`]
		];
		return {
			name: nameOf(measurement),
			unit,
			value,
			...exact || error === 0 ? {} : { range: `± ${Number(error.toPrecision(3))}` },
			extra: facts.join("\n")
		};
	});
	return `${JSON.stringify(entries, null, 2)}\n`;
}
function nameOf(measurement) {
	return `${measurement.measure} of ${nameOnKernel(measurement)}`;
}
// src/export/go.ts
/**
* `BenchmarkMacro/fun_xdp/kernel=6.1 136 165 instructions/run`, below lines that say how to read the units and what
* the machine was. Benchstat does not compare across machines: each has a table of its own.
*
* An exact value is one line, and its unit is declared exact when it is so in both revisions. Any other has a line for
* each raw sample, from which benchstat makes its own centre: its median may lie beside the value bpfgate compares.
*
* @throws InputError when there is no measurement, or when two would have one name
*/
function exportGo(results, revision = "head") {
	const measurements = selectMeasurements(results, revision);
	const toUnit = nameUnits(results.measurements);
	requireDistinct(measurements, (measurement) => `${toName(measurement)} ${toUnit(measurement)}`);
	const lines = [`pkg: ${toField(results.project.name)}`, ...groupBy(results.measurements, toUnit).flatMap((group) => {
		const exact = group.every((measurement) => measurement.exact) ? " assume=exact" : "";
		return group.slice(0, 1).map((first) => `Unit ${toUnit(first)} better=${first.better}${exact}`);
	})];
	let machine = "";
	for (const group of groupBy(measurements, ({ kernel }) => kernel)) {
		const own = describeMachine(results, group[0]?.kernel ?? "");
		if (own !== machine) lines.push(own);
		machine = own;
		for (const measurement of group) for (const { count, value } of readingsOf(measurement)) lines.push(`${toName(measurement)} ${count} ${value} ${toUnit(measurement)}`);
	}
	return `${lines.join("\n")}\n`;
}
function describeMachine({ kernels }, id) {
	const { accelerator = "", qemuVersion = "", cpuModel = "" } = kernels.find((kernel) => kernel.id === id)?.machine ?? {};
	return [
		`accelerator: ${accelerator}`,
		`qemu: ${toField(qemuVersion)}`,
		`cpu: ${toField(cpuModel)}`
	].join("\n");
}
function readingsOf({ value, exact, empty, samples, runCount }) {
	const taken = samples.filter(({ count }) => count > 0);
	if (exact || taken.length === 0) return [{
		count: toCount(runCount ?? 1),
		value
	}];
	return taken.map(({ count, total }) => ({
		count: toCount(count),
		value: total / count - (empty ?? 0)
	}));
}
/** The format has whole iterations, in 64 bits. */
function toCount(count) {
	return Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.round(count)));
}
/**
* The kernel comes last, so that a benchmark called `burst-64` is not read as one on 64 processors.
* Go's names begin with a capital.
*/
function toName({ benchmark, kernel }) {
	const name = toField(benchmark);
	const [first = ""] = name;
	return `Benchmark${first.toUpperCase()}${name.slice(first.length)}/kernel=${toField(kernel)}`;
}
/** To benchstat the unit is the measure; `instructions/run` alone will do where no other measure has that unit. */
function nameUnits(measurements) {
	const measuresByUnit = /* @__PURE__ */ new Map();
	for (const { measure, unit } of measurements) measuresByUnit.set(unit, (measuresByUnit.get(unit) ?? /* @__PURE__ */ new Set()).add(measure));
	return (measurement) => {
		const { measure, unit } = measurement;
		if (unit !== "" && nameMeasure(measurement) === measure && measuresByUnit.get(unit)?.size === 1) return toField(unit);
		return toField(unit === "" || `-${measure}`.endsWith(`-${unit}`) ? measure : `${measure}-${unit}`);
	};
}
/** Fields are separated by spaces and lines by line breaks; neither can be quoted. */
function toField(text) {
	return text.trim().replace(/[\s\p{C}]+/gu, "_") || "_";
}
// src/export/export.ts
const exportFormats = [
	"bmf",
	"go",
	"github-action-benchmark"
];
const exporters = {
	bmf: exportBmf,
	go: exportGo,
	"github-action-benchmark": exportGithubActionBenchmark
};
/**
* One revision's measurements as text that ends in a newline.
*
* @throws InputError when there is no measurement, or when two would have one name
*/
function exportResults(results, format, revision = "head") {
	return exporters[format](results, revision);
}
// src/kernels/build/command.ts
/**
* Installs what a build needs and this machine lacks, then builds.
*
* @returns what to print: the kernel, and the asset if one was asked for
* @throws InputError when the selector names no kernel that can be built
*/
async function buildOnRequest(request, options) {
	const minor = /^(\d+\.\d+)(?::(?:source|tree))?$/.exec(request.selector)?.[1];
	if (minor === void 0) throw new InputError(`"${request.selector}" is not one kernel to build`, { hint: "give a minor version, such as 5.8" });
	if (request.source !== void 0 && request.asset !== void 0) throw new InputError("--asset packs kernels of pinned tarballs; it does not go with --source");
	const pin = request.source === void 0 ? findSourcePin(minor) : void 0;
	const { log, cache, signal, environment } = options;
	const { env } = await installMissing(["kernel-build"], {
		log,
		cache,
		signal,
		...environment === void 0 ? {} : { environment }
	});
	const tools = {
		...options,
		environment: env
	};
	if (pin === void 0) return line(await buildTree(request.source ?? ".", minor, tools));
	const kernel = await buildSourceKernel(pin, tools);
	if (request.asset === void 0) return line(kernel);
	await packAsset(dirname(kernel.image), request.asset, env, signal);
	const { size } = await stat(request.asset);
	return `${line(kernel)}\nasset ${request.asset} ${await hashFile(request.asset)} ${size} bytes`;
}
function findSourcePin(minor) {
	const pin = readPins().find((pin) => pin.origin === "source" && pin.minor === minor);
	if (pin !== void 0) return pin;
	throw new InputError(`no tarball of ${minor} is pinned`, { hint: `unpack one and build it: bpfgate kernels build ${minor} --source DIR` });
}
/** The id, the release, the image and its SHA-256. */
function line({ pin, image, imageSha256 }) {
	return `${pin.id} ${pin.release} ${image} ${imageSha256}`;
}
// src/kernels/features.ts
var import_cli_table3 = /* @__PURE__ */ __toESM(require_cli_table3(), 1);
const btf = "CONFIG_DEBUG_INFO_BTF";
/**
* In the order of the versions. Distributions carry some of these back to older versions; that is not considered.
*
* Upstream commits, each the first with the feature, in the same order:
* - btf: 341dfcf8d78e ("btf: expose BTF info through sysfs")
* - fentry: fec56f5890d9 ("bpf: Introduce BPF trampoline")
* - lsm: fc611f47f218 ("bpf: Introduce BPF_PROG_TYPE_LSM")
* - ringbuf: 457f44363a88 ("bpf: Implement BPF ring buffer and verifier support for it")
* - enable-stats: d46edd671a14 ("bpf: Sharing bpf runtime stats with BPF_ENABLE_STATS")
* - sk-lookup: e9ddbb7707ff ("bpf: Introduce SK_LOOKUP program type with a dedicated attach point")
* - sleepable: 1e6c62a88215 ("bpf: Introduce sleepable BPF programs")
* - recursion-misses: 9ed9e9ba2337 ("bpf: Count the number of times recursion was prevented")
* - perf-link: b89fbfbb854c ("bpf: Implement minimal BPF perf link")
* - cookie: 7adfc6c9b315 ("bpf: Add bpf_get_attach_cookie() BPF helper to access bpf_cookie value")
* - verified-insns: aba64c7da983 ("bpf: Add verified_insns to bpf_prog_info and fdinfo")
* - loop: e6f2dd0f8067 ("bpf: Add bpf_loop helper")
* - kprobe-multi: 0dcac2725406 ("bpf: Add multi kprobe link")
* - tcx: e420bed02507 ("bpf: Add fd-based tcx multi-prog infra with link support")
* - uprobe-multi: 89ae89f53d20 ("bpf: Add multi uprobe link")
* - netkit: 35dfaad7188c ("netkit, bpf: Add bpf programmable net device")
* - arena: 317460317a02 ("bpf: Introduce bpf_arena.")
* - sched-ext: f0e1a0643a59 ("sched_ext: Implement BPF extensible scheduler class")
*/
const features = [
	{
		name: "btf",
		since: "5.4",
		options: [btf]
	},
	{
		name: "fentry",
		since: "5.5",
		options: [btf, "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS"]
	},
	{
		name: "lsm",
		since: "5.7",
		options: [
			btf,
			"CONFIG_BPF_LSM",
			"CONFIG_LSM=bpf"
		]
	},
	{
		name: "ringbuf",
		since: "5.8",
		options: []
	},
	{
		name: "enable-stats",
		since: "5.8",
		options: []
	},
	{
		name: "sk-lookup",
		since: "5.9",
		options: ["CONFIG_INET"]
	},
	{
		name: "sleepable",
		since: "5.10",
		options: [btf]
	},
	{
		name: "recursion-misses",
		since: "5.12",
		options: []
	},
	{
		name: "perf-link",
		since: "5.15",
		options: ["CONFIG_BPF_EVENTS"]
	},
	{
		name: "cookie",
		since: "5.15",
		options: ["CONFIG_BPF_EVENTS"]
	},
	{
		name: "verified-insns",
		since: "5.16",
		options: []
	},
	{
		name: "loop",
		since: "5.17",
		options: []
	},
	{
		name: "kprobe-multi",
		since: "5.18",
		options: ["CONFIG_BPF_EVENTS", "CONFIG_FPROBE"]
	},
	{
		name: "tcx",
		since: "6.6",
		options: ["CONFIG_NET_XGRESS"]
	},
	{
		name: "uprobe-multi",
		since: "6.6",
		options: ["CONFIG_BPF_EVENTS", "CONFIG_UPROBES"]
	},
	{
		name: "netkit",
		since: "6.7",
		options: ["CONFIG_NETKIT"]
	},
	{
		name: "arena",
		since: "6.9",
		options: ["CONFIG_BPF_JIT"]
	},
	{
		name: "sched-ext",
		since: "6.12",
		options: ["CONFIG_SCHED_CLASS_EXT"]
	}
];
/**
* @param minor `6.1`
* @param config the kernel's whole configuration; undefined when it is not at hand
*/
function featuresOf(minor, config) {
	const set = config === void 0 ? void 0 : setOptions(config);
	const stateOf = ({ since, options }) => {
		if (compareVersions(minor, since) < 0) return "no";
		if (options.length === 0) return "yes";
		if (set === void 0) return "unknown";
		return options.every((option) => set.has(option)) ? "yes" : "no";
	};
	return Object.fromEntries(features.map((feature) => [feature.name, stateOf(feature)]));
}
/** The options that are built in or modules, and each of the active security modules. */
function setOptions(config) {
	const [, securityModules = ""] = /^CONFIG_LSM="(.*)"$/m.exec(config) ?? [];
	return /* @__PURE__ */ new Set([...[...config.matchAll(/^(CONFIG_\w+)=[ym]$/gm)].map(([, name = ""]) => name), ...securityModules.split(",").map((name) => `CONFIG_LSM=${name}`)]);
}
// src/kernels/list.ts
/** @param stateOf what the cache has of a kernel */
function listKernels(shown, missing, stateOf) {
	const minors = new Set(shown.map(({ minor }) => minor));
	return {
		kernels: shown.map((pin) => {
			const state = stateOf(pin);
			return {
				id: pin.id,
				release: pin.release,
				origin: pin.origin,
				support: pin.support,
				sizeBytes: downloadSize(pin) ?? state?.imageBytes ?? null,
				cached: state === void 0 ? "no" : state.broken ? "broken" : "yes",
				features: featuresOf(pin.minor, state?.config)
			};
		}),
		missing: missing.filter(({ minor }) => minors.has(minor))
	};
}
function downloadSize(pin) {
	if (pin.origin === "debian") return pin.packages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
	return (pin.origin === "source" ? pin.asset?.sizeBytes : void 0) ?? null;
}
/** The features a person looks for first, with their headings; narrow, since the table has to fit 100 columns. */
const columns = [
	["ring\nbuf", "ringbuf"],
	["stats\nby fd", "enable-stats"],
	["BTF", "btf"],
	["fen-\ntry", "fentry"],
	["LSM", "lsm"],
	["verif.\ninsns", "verified-insns"],
	["kprobe\nmulti", "kprobe-multi"]
];
const marks = {
	yes: "✓",
	no: "-",
	unknown: "(✓)"
};
const maxWidth = 100;
/** For a terminal. Lines are at most 100 columns wide but for those that give a reason. */
function renderKernels({ kernels, missing }) {
	const table = new import_cli_table3.default({
		head: [
			"id",
			"release",
			"origin",
			"size",
			"support",
			"cached",
			...columns.map(([heading]) => heading)
		],
		colAligns: [
			"left",
			"left",
			"left",
			"right",
			"left",
			"left",
			...columns.map(() => "center")
		],
		style: {
			head: [],
			border: [],
			"padding-left": 0,
			"padding-right": 0
		},
		chars: borderless
	});
	for (const { id, release, origin, support, sizeBytes, cached, features } of kernels) {
		const size = sizeBytes === null ? "-" : `${Math.round(sizeBytes / 1e6)} MB`;
		table.push([
			id,
			release,
			origin,
			size,
			support,
			cached,
			...columns.map(([, name]) => marks[features[name]])
		]);
	}
	const lines = table.toString().split("\n").map((line) => line.trimEnd());
	if (kernels.some(({ features }) => columns.some(([, name]) => features[name] === "unknown"))) lines.push("", "(✓)  by its version alone; whether it is configured is seen once the kernel is in the cache");
	if (missing.length > 0) lines.push("", "not pinned:", ...describeMissing(missing));
	return `${lines.join("\n")}\n`;
}
/** Each origin and reason, and below it the minor versions. */
function describeMissing(missing) {
	const minorsOf = /* @__PURE__ */ new Map();
	for (const { minor, origin, reason } of missing) {
		const why = `  ${origin}: ${reason}:`;
		minorsOf.set(why, [...minorsOf.get(why) ?? [], minor]);
	}
	return [...minorsOf].flatMap(([why, minors]) => [why, ...wrap(minors, "    ")]);
}
function wrap(words, indent) {
	const lines = [];
	for (const word of words) {
		const line = lines.at(-1);
		if (line !== void 0 && line.length + 2 + word.length < maxWidth) lines[lines.length - 1] = `${line}, ${word}`;
		else lines.push(`${indent}${word}`);
	}
	return lines;
}
const borderless = {
	top: "",
	"top-mid": "",
	"top-left": "",
	"top-right": "",
	bottom: "",
	"bottom-mid": "",
	"bottom-left": "",
	"bottom-right": "",
	left: "",
	"left-mid": "",
	mid: "",
	"mid-mid": "",
	right: "",
	"right-mid": "",
	middle: "  "
};
// src/kernels/update/propose.ts
/**
* Puts the newest candidate of each minor version and origin in the place of an older pin or of a missing one.
*
* A new minor version is proposed as `stable`; which ones are long-term or not mended any more is in no signed
* index and left to a person.
*/
async function propose(document, candidates, { minors, isNewer }) {
	const changes = [];
	const debian = await pickNewest(candidates.filter((candidate) => candidate.origin === "debian"), (a, b) => isNewer(a.version, b.version));
	const source = await pickNewest(candidates.filter((candidate) => candidate.origin === "source"), (a, b) => compareVersions(a.release, b.release) > 0);
	const updateDebian = async (minor, entry, none) => {
		const found = debian.get(minor);
		if (found === void 0) return entry;
		const { release, archive, version, snapshot, packages, where } = found;
		let [from, to] = [none, release];
		if (!("missing" in entry)) {
			if (!await isNewer(version, entry.version)) return entry;
			[from, to] = release === entry.release ? [entry.version, version] : [entry.release, release];
		}
		changes.push({
			minor,
			origin: "debian",
			from,
			to,
			where
		});
		return {
			release,
			archive,
			version,
			snapshot,
			packages: [...packages]
		};
	};
	const updateSource = (minor, entry, none) => {
		const found = source.get(minor);
		if (found === void 0) return entry;
		const { release, url, sha256, where } = found;
		if (!("missing" in entry) && compareVersions(release, entry.release) <= 0) return entry;
		changes.push({
			minor,
			origin: "source",
			from: "missing" in entry ? none : entry.release,
			to: release,
			where
		});
		return {
			release,
			url,
			sha256,
			agreeing: [`${where}/sha256sums.asc, signature checked`]
		};
	};
	const update = async ({ minor, support, debian: byDebian, source: bySource }, none) => ({
		minor,
		support,
		debian: await updateDebian(minor, byDebian, none),
		source: updateSource(minor, bySource, none)
	});
	const isChosen = ({ minor }) => minors === void 0 || minors.has(minor);
	const kernels = [];
	for (const entry of document.kernels) kernels.push(isChosen(entry) ? await update(entry, "missing") : entry);
	if (minors === void 0) {
		const offered = [.../* @__PURE__ */ new Set([...debian.keys(), ...source.keys()])].sort(compareVersions);
		const isNewest = (minor) => document.kernels.every((entry) => compareVersions(minor, entry.minor) > 0);
		const missing = { missing: "no index that was read when this minor version was added has it" };
		for (const minor of offered.filter(isNewest)) kernels.push(await update({
			minor,
			support: "stable",
			debian: missing,
			source: missing
		}, "new"));
	}
	const contradictions = document.kernels.filter(isChosen).flatMap((entry) => findContradictions(entry, candidates));
	return {
		document: {
			...document,
			kernels
		},
		changes,
		contradictions
	};
}
/** The newest candidate of each minor version; of equal ones the first. */
async function pickNewest(candidates, isNewer) {
	const newest = /* @__PURE__ */ new Map();
	for (const candidate of candidates) {
		const best = newest.get(candidate.minor);
		if (best === void 0 || await isNewer(candidate, best)) newest.set(candidate.minor, candidate);
	}
	return newest;
}
/** A sentence for each file that an index lists, for the pinned version, with another checksum than the one pinned. */
function findContradictions({ debian, source }, candidates) {
	return candidates.flatMap((candidate) => {
		const { where } = candidate;
		if (candidate.origin === "debian") {
			if ("missing" in debian || candidate.version !== debian.version) return [];
			const differs = ({ name, sha256 }) => candidate.packages.some((listed) => listed.name === name && listed.sha256 !== sha256);
			return debian.packages.filter(differs).map(({ name }) => contradiction(name, where));
		}
		if ("missing" in source || candidate.url !== source.url || candidate.sha256 === source.sha256) return [];
		return [contradiction(source.url, where)];
	});
}
function contradiction(file, where) {
	return `${where} lists ${file} with another SHA-256 than the one pinned`;
}
/** `6.1 debian 6.1.176 -> 6.1.180 (bookworm-security)`. */
function renderChange({ minor, origin, from, to, where }) {
	return `${minor} ${origin} ${from} -> ${to} (${where})`;
}
/** As wide as a line of kernels.json may be, a setting of Biome. */
const lineWidth = 120;
/** The text of a kernels.json, as Biome formats it: a list of strings stands on one line where it fits. */
function renderDocument(document) {
	return `${JSON.stringify(document, null, 2)}\n`.replace(/^(.*)\[\n((?: *"(?:[^"\\]|\\.)*",?\n)+) *\](,?)$/gm, (expanded, start, items, end) => {
		const line = `${start}[${items.trim().split("\n").map((item) => item.trim()).join(" ")}]${end}`;
		return line.length <= lineWidth ? line : expanded;
	});
}
// src/kernels/update/debian-index.ts
/** The suites that carry kernel images bpfgate can pin, oldest first. */
const kernelSuites = [
	{
		archive: "debian-security",
		codename: "bullseye-security"
	},
	{
		archive: "debian",
		codename: "bookworm"
	},
	{
		archive: "debian-security",
		codename: "bookworm-security"
	},
	{
		archive: "debian",
		codename: "bookworm-backports"
	},
	{
		archive: "debian",
		codename: "trixie"
	},
	{
		archive: "debian-security",
		codename: "trixie-security"
	},
	{
		archive: "debian",
		codename: "trixie-backports"
	}
];
/** The one index read of a suite; Debian publishes it in this compression for all of them. */
const packagesPath = "main/binary-amd64/Packages.xz";
/**
* Reads the signed text of an `InRelease` file.
*
* @param now refuses an index that has expired or is dated later, in which an old one could be sent again
* @throws KernelError naming the suite when it is another suite's, not of now, or does not list `packagesPath`
*/
function readSuiteIndex(text, { codename }, now) {
	const refuse = (message, hint) => new KernelError(`the index of ${codename} ${message}`, { hint });
	const fields = readStanza(text.split("\n"));
	const found = fields.get("Codename");
	if (found !== codename) throw refuse(`is that of ${clipMiddle(JSON.stringify(found) ?? "undefined", 200)}`, "the source mixes suites up: find out why before trying again");
	const date = readDate(fields.get("Date"));
	if (date === void 0) throw refuse("has no valid Date", malformedHint);
	const validUntil = fields.has("Valid-Until") ? readDate(fields.get("Valid-Until")) : void 0;
	if (fields.has("Valid-Until") && validUntil === void 0) throw refuse("has no valid Valid-Until", malformedHint);
	if (validUntil !== void 0 && validUntil < now) throw refuse(`expired at ${validUntil.toISOString()}`, "use a mirror that is kept up to date, and see whether this machine's clock is right");
	if (date.getTime() > now.getTime() + clockToleranceMs) throw refuse(`is dated ${date.toISOString()}, which is still to come`, "see whether this machine's clock is right");
	for (const line of (fields.get("SHA256") ?? "").split("\n")) {
		const [, sha256, size] = new RegExp(`^([0-9a-f]{64}) +(\\d+) +main/binary-amd64/Packages.xz$`).exec(line.trim()) ?? [];
		if (sha256 === void 0) continue;
		const packages = {
			sha256,
			sizeBytes: Number(size)
		};
		return {
			codename,
			date,
			validUntil,
			byHash: fields.get("Acquire-By-Hash") === "yes",
			packages
		};
	}
	throw refuse(`does not list ${packagesPath}`, malformedHint);
}
const clockToleranceMs = 6e5;
const malformedHint = "this is a defect of bpfgate: Debian publishes another format than it knows";
/** Packages that can be a part of a kernel; the many variants among them are sorted out by findKernels. */
const kernelPackage = /^linux-(?:image|binary|base|modules)-\d\S*-amd64$/;
/**
* Reads a `Packages` file line by line, as it is tens of megabytes long, and keeps what may be a kernel.
*
* @throws KernelError (by `addLine` and `end`) naming a package that lacks a field
*/
function openPackagesReader() {
	const records = [];
	let lines = [];
	const endStanza = () => {
		const [name] = lines[0]?.match(/(?<=^Package: ).*/) ?? [];
		if (name !== void 0 && kernelPackage.test(name)) records.push(readPackage(name, readStanza(lines)));
		lines = [];
	};
	return {
		addLine(line) {
			if (line === "") endStanza();
			else lines.push(line);
		},
		end() {
			endStanza();
			return records;
		}
	};
}
function readPackage(name, fields) {
	const [version, poolPath, sha256, size] = [
		"Version",
		"Filename",
		"SHA256",
		"Size"
	].map((field) => fields.get(field));
	if (version === void 0 || poolPath === void 0 || sha256 === void 0 || !/^\d+$/.test(size ?? "")) throw new KernelError(`the entry of ${clipMiddle(name, 200)} lacks Version, Filename, SHA256 or Size`, { hint: malformedHint });
	return {
		name,
		poolPath,
		sha256,
		sizeBytes: Number(size),
		version,
		depends: fields.get("Depends") ?? ""
	};
}
/**
* `linux-image-6.1.0-56-amd64`, `-6.1.0-0.deb11.52-`, `-6.12.117+deb13.1-`: a whole release, then at most a number or
* Debian's mark. No other flavours (`-cloud-amd64`, `-rt-amd64`), no `-unsigned` and `-dbg`, no metapackages
* (`linux-image-6.1-amd64`).
*/
const genericImage = /^linux-image-(\d+\.\d+\.\d+(?:-\d[a-z0-9.]*|\+[a-z0-9.]+)?-amd64)$/;
/** What an image is split into from 6.19 on: the image itself, its configuration, its modules. */
const parts = [
	"linux-binary",
	"linux-base",
	"linux-modules"
];
/**
* The kernels of the generic flavour among a suite's packages.
*
* Up to 6.18 an image package is the kernel. From 6.19 on it is empty and depends on its parts; where one of them is
* not in the suite in the same version (suites keep images longer than modules), there is no kernel.
*/
function findKernels(records, { archive, codename }, { date }) {
	const snapshot = snapshotTime(date);
	return records.flatMap((image) => {
		const { version } = image;
		const [, uname] = genericImage.exec(image.name) ?? [];
		const [, release, minor] = /^((\d+\.\d+)\.\d+)-/.exec(version) ?? [];
		if (uname === void 0 || release === void 0 || minor === void 0 || !uname.startsWith(`${minor}.`)) return [];
		const depends = new Set(image.depends.split(/[\s,|]+/));
		const names = parts.map((part) => `${part}-${uname}`).filter((name) => depends.has(name));
		const found = names.map((name) => records.find((record) => record.name === name && record.version === version));
		const files = names.length === 0 ? [image] : found.filter((record) => record !== void 0);
		if (files.length < names.length) return [];
		const packages = files.map(({ name, poolPath, sha256, sizeBytes }) => ({
			name,
			poolPath,
			sha256,
			sizeBytes
		}));
		return [{
			origin: "debian",
			minor,
			release,
			archive,
			version,
			snapshot,
			packages,
			where: codename
		}];
	});
}
/**
* A time at which the permanent archive has what an index of this date lists, `YYYYMMDDTHHMMSSZ`.
*
* A day later: asked for a time, the permanent archive answers with its last copy until then. It copies an archive a
* few times a day, after the index was made, so the copy of the very time can lack a package that came with this index.
* One that is superseded meanwhile is still there: suites keep a kernel for weeks after the next. A time still to come
* is answered with the newest copy.
*/
function snapshotTime(date) {
	return formatSnapshot(new Date(date.getTime() + 864e5));
}
/** `YYYYMMDDTHHMMSSZ`. */
function formatSnapshot(time) {
	return time.toISOString().replace(/[-:]|\.\d+/g, "");
}
/** The fields of one deb822 stanza; lines of a long field are joined by newlines. The first of equal names counts. */
function readStanza(lines) {
	const fields = /* @__PURE__ */ new Map();
	let current = "";
	for (const line of lines) {
		if (/^[ \t]/.test(line)) {
			if (current !== "") fields.set(current, `${fields.get(current)}\n${line.trim()}`);
			continue;
		}
		const colon = line.indexOf(":");
		const name = line.slice(0, colon);
		current = colon > 0 && !fields.has(name) ? name : "";
		if (current !== "") fields.set(name, line.slice(colon + 1).trim());
	}
	return fields;
}
function readDate(text) {
	const date = new Date(text ?? "");
	return Number.isNaN(date.getTime()) ? void 0 : date;
}
// src/kernels/update/kernel-org-index.ts
/** Permanent addresses of tarballs and lists of checksums begin with this. */
const kernelOrgRoot = "https://cdn.kernel.org/pub/linux/kernel";
/** The folders, one for each major version. */
const kernelOrgFolders = [
	"v5.x",
	"v6.x",
	"v7.x"
];
/**
* Fingerprint of the primary key of "Kernel.org checksum autosigner", which signs sha256sums.asc. It is what is
* trusted; wherever the key itself comes from, only this one counts. That this key signs the lists:
* https://www.kernel.org/signature.html; the same fingerprint stands in many public build recipes.
*/
const autosignerFingerprint = "B8868C80BA62A1FFFAF5FDA9632D3A06589DA6B1";
/**
* The autosigner's key in kernel.org's Web Key Directory. The last part of the path is the hash that
* `gpg-wks-client --print-wkd-hash autosigner@kernel.org` prints.
*/
const autosignerAddress = "https://kernel.org/.well-known/openpgpkey/hu/ew8uiogxwri7d3fuioqgt7u1d5sngorx?l=autosigner";
/**
* The tarballs in the signed text of a sha256sums.asc. A minor version counts from its first stable release on (7.4.1):
* pins name releases of three numbers.
*
* @param folder `v6.x`
*/
function findTarballs(text, folder) {
	return [...text.matchAll(/^([0-9a-f]{64}) [ *](linux-((\d+\.\d+)\.\d+)\.tar\.xz)$/gm)].map(([, sha256 = "", file = "", release = "", minor = ""]) => ({
		origin: "source",
		minor,
		release,
		url: `${kernelOrgRoot}/${folder}/${file}`,
		sha256,
		where: `kernel.org ${folder}`
	}));
}
// src/kernels/update/tool.ts
/** Package of Debian and Ubuntu that has the program. */
const packages = {
	gpgv: "gpgv",
	xz: "xz-utils",
	dpkg: "dpkg",
	diff: "diffutils"
};
/**
* Runs a program to its end, whatever that end is.
*
* @throws MachineError naming the package to install when the program is missing
*/
async function runTool(tool, args, options) {
	try {
		return await run(tool, args, options);
	} catch (error) {
		if (!(error instanceof MachineError)) throw error;
		throw new MachineError(`${tool} is missing; kernels update needs it`, {
			cause: error,
			hint: `apt-get install ${packages[tool]}`
		});
	}
}
// src/kernels/update/signature.ts
/**
* The text of a clear-signed message.
*
* @throws KernelError when it is not exactly one such message, or its signature is not a good one of the wanted key
* @throws MachineError when gpgv is missing
*/
async function readClearSigned(message, options) {
	const { name, keyring, signal } = options;
	if (!isOneMessage(message.toString("latin1"))) throw new KernelError(`${name} is not one clear-signed message: cut off, or something else was sent`, { hint: lookHint });
	const folder = await mkdtemp(join(tmpdir(), "bpfgate-signature-"));
	try {
		const signed = join(folder, "signed");
		const text = join(folder, "text");
		await writeFile(signed, message);
		const result = await runTool("gpgv", [
			"--status-fd",
			"1",
			...["SHA1", "RIPEMD160"].flatMap((digest) => ["--weak-digest", digest]),
			"--keyring",
			keyring,
			"--output",
			text,
			signed
		], {
			signal,
			timeoutMs: 6e4
		});
		const fault = findFault(result.stdout, options.fingerprint);
		if (fault !== void 0) throw new KernelError(`the signature of ${name} is not accepted: ${fault}\n${result.stderr.trim()}`, { hint: lookHint });
		return await readFile(text, "utf8");
	} finally {
		await rm(folder, {
			recursive: true,
			force: true
		});
	}
}
const lookHint = "nothing was taken from it: find out what the source sends; an old keyring lacks newer keys";
/**
* Whether a text is one clear-signed message with nothing before, between and behind: of several, gpgv would print all,
* those signed by strangers too. Lines of the signed text itself cannot look like this, they are escaped with `- `.
*/
function isOneMessage(text) {
	const marks = [...text.matchAll(/^-----.*$/gm)].map(([line]) => line.trimEnd());
	const expected = [
		"-----BEGIN PGP SIGNED MESSAGE-----",
		"-----BEGIN PGP SIGNATURE-----",
		"-----END PGP SIGNATURE-----"
	];
	return marks.length === expected.length && expected.every((mark, index) => marks[index] === mark) && text.startsWith("-----") && text.trimEnd().endsWith("-----END PGP SIGNATURE-----");
}
/**
* What is wrong according to gpgv's status lines; undefined when a wanted key has a good signature and none is bad.
*
* As apt has it, signatures of unknown keys are passed over beside a good one: a suite is signed with the keys of
* several Debian releases, and an older keyring lacks the newest. `VALIDSIG` alone is not enough, it is there for
* expired and revoked keys too. The lines: https://git.gnupg.org/cgi-bin/gitweb.cgi?p=gnupg.git;a=blob;f=doc/DETAILS
*
* @param fingerprint of the wanted primary key; default: any key gpgv was given
*/
function findFault(status, fingerprint) {
	const seen = [];
	const signers = [];
	let good = false;
	for (const line of status.split("\n")) {
		const [prefix, keyword, ...args] = line.split(" ");
		if (prefix !== "[GNUPG:]" || keyword === void 0) continue;
		if (keyword === "NEWSIG") good = false;
		if (/^(GOOD|BAD|ERR|EXP|EXPKEY|REVKEY)SIG$/.test(keyword)) {
			good = keyword === "GOODSIG";
			seen.push(`${keyword} ${args[0]}`);
		}
		if (keyword === "VALIDSIG" && good && args[9] !== void 0) signers.push(args[9]);
	}
	const bad = seen.find((line) => line.startsWith("BADSIG"));
	if (bad !== void 0) return `what was signed is not what was sent (${bad})`;
	if (signers.length === 0) return `no good signature of a known key (${seen.join(", ") || "no signature"})`;
	if (fingerprint !== void 0 && !signers.includes(fingerprint)) return `signed by ${signers.join(", ")}, not by ${fingerprint}`;
}
// src/kernels/update/indexes.ts
/** A source that is not there, as opposed to one that is not to be trusted. */
var UnreachableError = class extends KernelError {};
function downloadOptions({ log, signal, stallMs }) {
	return {
		log,
		signal,
		stallMs,
		ErrorClass: KernelError,
		UnreachableClass: UnreachableError
	};
}
/** Some twenty times what the largest suite has. */
const maxReleaseBytes = 4194304;
/** Debian's largest are a tenth of it. */
const maxPackagesBytes = 134217728;
/**
* The kernels a suite offers, by an index that Debian signed, for this suite and for now.
*
* @throws UnreachableError when no source has it
* @throws KernelError when what a source has is not to be trusted
* @throws MachineError when gpgv, the keyring or xz is missing
*/
async function readSuite(suite, { sites, permanent, keyring }, now, options) {
	const { log, signal, scratch } = options;
	const { archive, codename } = suite;
	if (!existsSync(keyring)) throw new MachineError(`\`${keyring}\` is missing; Debian's signatures are checked with it`, { hint: "apt-get install debian-archive-keyring" });
	const archives = archiveRoots(archive, formatSnapshot(now), sites, permanent);
	if (archives.length === 0) throw new UnreachableError(`there is nowhere to read the index of ${codename}: no mirror of ${archive} is known`, { hint: permanentArchiveHint });
	const roots = archives.map((root) => `${root}/dists/${codename}`);
	log.progress(`reading the index of ${codename}`);
	const release = await downloadSmall({
		name: `the index of ${codename}`,
		maxBytes: maxReleaseBytes
	}, roots.map((root) => `${root}/InRelease`), downloadOptions(options));
	const index = readSuiteIndex(await readClearSigned(release.content, {
		name: release.address,
		keyring,
		signal
	}), suite, now);
	if (index.packages.sizeBytes > maxPackagesBytes) throw new KernelError(`the list of packages of ${codename} is too long: ${index.packages.sizeBytes} bytes`);
	const byHash = packagesPath.replace(/[^/]+$/, `by-hash/SHA256/${index.packages.sha256}`);
	const paths = index.byHash ? [byHash, packagesPath] : [packagesPath];
	const file = join(scratch, codename);
	await downloadVerified({
		name: `the list of packages of ${codename}`,
		...index.packages
	}, roots.flatMap((root) => paths.map((path) => `${root}/${path}`)), `${file}.xz`, downloadOptions(options));
	const result = await runTool("xz", ["--decompress", `${file}.xz`], { signal });
	if (result.exitCode !== 0) throw new MachineError(`xz cannot unpack the list of packages of ${codename}: ${result.stderr.trim()}`);
	const reader = openPackagesReader();
	for await (const line of createInterface({ input: createReadStream(file) })) reader.addLine(line);
	await rm(file);
	return findKernels(reader.end(), suite, index);
}
const maxKeyBytes = 1048576;
/**
* A keyring with kernel.org's signing key. It need not be trusted: only the fingerprint decides.
*
* @param given a file with the key as `gpg --export` writes it; default: the key is fetched
* @returns its absolute path
* @throws InputError when the given file cannot be used
* @throws UnreachableError when the key cannot be fetched
*/
async function obtainKey(given, { keyAddress }, options) {
	if (given !== void 0) {
		if ((await readFile(given, "latin1").catch((cause) => {
			throw new InputError(`cannot read the keyring \`${given}\`: ${cause.message}`, { cause });
		})).startsWith("-----BEGIN")) throw new InputError(`the keyring \`${given}\` is ASCII-armoured, which gpgv does not read`, { hint: `gpg --dearmor <${given} >autosigner.gpg` });
		return resolve(given);
	}
	options.log.progress("reading kernel.org's signing key");
	const { content } = await downloadSmall({
		name: "kernel.org's signing key",
		maxBytes: maxKeyBytes
	}, [keyAddress], downloadOptions(options)).catch((error) => {
		if (!(error instanceof UnreachableError)) throw error;
		const hint = `${error.hint}; or get the key elsewhere (gpg --export) and give it with --keyring`;
		throw new UnreachableError(error.message, {
			cause: error,
			hint
		});
	});
	const path = join(options.scratch, "kernel-org.gpg");
	await writeFile(path, content);
	return path;
}
/** Some ten times what the longest list has. */
const maxSumsBytes = 16777216;
/**
* The releases in a folder of kernel.org, by a list of checksums that the wanted key signed.
*
* @throws UnreachableError when it cannot be fetched
* @throws KernelError when what is there is not to be trusted
* @throws MachineError when gpgv is missing
*/
async function readFolder(folder, { root, fingerprint }, keyring, options) {
	options.log.progress(`reading kernel.org's checksums of ${folder}`);
	const { content, address } = await downloadSmall({
		name: `kernel.org's checksums of ${folder}`,
		maxBytes: maxSumsBytes
	}, [`${root}/${folder}/sha256sums.asc`], downloadOptions(options));
	const { signal } = options;
	return findTarballs(await readClearSigned(content, {
		name: address,
		keyring,
		fingerprint,
		signal
	}), folder);
}
// src/kernels/update/update.ts
/** Below the repository. */
const pinsFile = "kernels/kernels.json";
const updateOrigins = ["debian", "source"];
/**
* Reads the indexes and proposes newer pins. An index that cannot be had or is refused is left out and named in the
* result; the others count.
*
* @param text content of kernels/kernels.json
* @throws KernelError when no index could be read, or the text is no valid kernels.json
* @throws MachineError when gpgv, Debian's keyring, xz, dpkg or diff is missing
* @throws InputError when the given keyring cannot be used
*/
async function updatePins(text, options) {
	const { origins = updateOrigins, minors, now = /* @__PURE__ */ new Date(), signal } = options;
	const document = parseDocument(text);
	const unreachable = [];
	const faults = [];
	const candidates = [];
	let read = 0;
	/** What reading an index gives; undefined when it is left out. */
	const attempt = async (index, readIndex) => {
		try {
			return await readIndex();
		} catch (error) {
			if (!(error instanceof KernelError)) throw error;
			if (error instanceof UnreachableError) unreachable.push({
				index,
				error
			});
			else faults.push(error);
			return;
		}
	};
	const collect = async (index, readIndex) => {
		const found = await attempt(index, readIndex);
		if (found === void 0) return;
		read += 1;
		candidates.push(...found);
	};
	const scratch = await mkdtemp(join(tmpdir(), "bpfgate-update-"));
	try {
		const indexOptions = {
			log: options.log,
			signal,
			stallMs: options.stallMs,
			scratch
		};
		if (origins.includes("debian")) {
			const { suites = kernelSuites, keyring = debianKeyring, permanent = permanentArchive() } = options.debian ?? {};
			const sites = options.debian?.sites ?? await readAptSites({ signal });
			for (const suite of suites) await collect(suite.codename, () => readSuite(suite, {
				sites,
				permanent,
				keyring
			}, now, indexOptions));
		}
		if (origins.includes("source")) {
			const access = {
				root: kernelOrgRoot,
				folders: kernelOrgFolders,
				keyAddress: autosignerAddress,
				fingerprint: autosignerFingerprint,
				...options.kernelOrg
			};
			const keyring = await attempt("kernel.org", () => obtainKey(options.keyring, access, indexOptions));
			for (const folder of keyring === void 0 ? [] : access.folders.filter((name) => holdsAny(name, minors))) await collect(`kernel.org ${folder}`, () => readFolder(folder, access, keyring ?? "", indexOptions));
		}
		if (read === 0) throw nothingRead(unreachable, faults);
		const isNewer = (version, than) => isNewerVersion(version, than, signal);
		const proposal = await propose(document, candidates, {
			minors,
			isNewer
		});
		const { changes } = proposal;
		const hint = "an origin changed a file it had published, or the pin is wrong: find out which before using this kernel";
		faults.push(...proposal.contradictions.map((sentence) => new KernelError(sentence, { hint })));
		if (changes.length === 0) return {
			diff: "",
			changes,
			unreachable,
			faults
		};
		const proposed = renderDocument(proposal.document);
		parseDocument(proposed);
		return {
			diff: await makeDiff(text, proposed, scratch, signal),
			changes,
			unreachable,
			faults
		};
	} finally {
		await rm(scratch, {
			recursive: true,
			force: true
		});
	}
}
/** Of the package debian-archive-keyring: the keys apt itself trusts. */
const debianKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
function parseDocument(text) {
	let document;
	try {
		document = JSON.parse(text);
	} catch (cause) {
		throw new KernelError(`${pinsFile} is not JSON: ${cause.message}`, { cause });
	}
	parseEntries(document);
	return document;
}
/** Whether a folder of kernel.org can have a release of these minor versions. */
function holdsAny(folder, minors) {
	return minors === void 0 || [...minors].some((minor) => folder === `v${minor.split(".")[0]}.x`);
}
function nothingRead(unreachable, faults) {
	const errors = [...faults, ...unreachable.map(({ error }) => error)];
	const hint = errors[0]?.hint;
	const lines = errors.map(({ message }) => `  ${message.replaceAll("\n", "\n  ")}`);
	return new KernelError(`no index could be read:\n${lines.join("\n")}`, hint === void 0 ? {} : { hint });
}
/** By dpkg, whose order of versions is Debian's. */
async function isNewerVersion(version, than, signal) {
	const result = await runTool("dpkg", [
		"--compare-versions",
		version,
		"gt",
		than
	], {
		signal,
		timeoutMs: 1e4
	});
	if (result.exitCode === 0 || result.exitCode === 1) return result.exitCode === 0;
	throw new MachineError(`dpkg cannot compare the versions ${version} and ${than}: ${result.stderr.trim()}`);
}
/** A patch whose paths `git apply` and `patch -p1` take at the repository's root. */
async function makeDiff(before, after, scratch, signal) {
	const paths = ["a", "b"].map((side) => `${side}/${pinsFile}`);
	for (const [index, text] of [before, after].entries()) {
		const path = join(scratch, paths[index] ?? "");
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, text);
	}
	const result = await runTool("diff", [
		"-u",
		...paths.flatMap((path) => ["--label", path]),
		...paths
	], {
		cwd: scratch,
		signal
	});
	if (result.exitCode === 0 || result.exitCode === 1) return result.stdout;
	throw new MachineError(`diff failed: ${result.stderr.trim()}`);
}
// src/prerequisites/render.ts
const titles = {
	vm: "to boot kernels",
	agent: "to build the guest agent",
	example: "to build the example project",
	"kernel-build": "to build kernels from source, which few need",
	"virtme-ng": "to boot kernels with the runner virtme-ng, which is not the default",
	isolation: "to keep guests from this host, without which they run as well",
	tests: "to build what bpfgate's own tests measure"
};
/**
* One line per prerequisite, and below each lack what it is for and the command that mends it.
*
* @param optional groups whose lacks do not count
*/
function renderPrerequisites(statuses, optional = optionalGroups) {
	const width = Math.max(0, ...statuses.map((status) => status.prerequisite.name.length));
	const sections = prerequisiteGroups.flatMap((group) => {
		const own = statuses.filter((status) => status.prerequisite.group === group);
		if (own.length === 0) return [];
		return [[`${titles[group]}:`, ...own.flatMap((status) => renderStatus(status, width, optional))].join("\n")];
	});
	const lacks = lacking(statuses).filter(({ prerequisite }) => !optional.includes(prerequisite.group)).length;
	const verdict = lacks === 0 ? "nothing is lacking" : `${lacks} lacking; \`bpfgate doctor --install\` installs what it can`;
	return [...sections, verdict].join("\n\n");
}
function renderStatus({ prerequisite, present, version, path, problem, remedy }, width, optional) {
	const name = prerequisite.name.padEnd(width);
	if (present) return [`  ok       ${name}  ${version ?? ""}`.trimEnd()];
	const what = `${path === null ? "" : `${path} `}${problem}; needed to ${prerequisite.purpose}`;
	return [`  ${optional.includes(prerequisite.group) ? "absent " : "lacking"}  ${name}  ${what}`, `           ${" ".repeat(width)}  mend: ${remedy}`];
}
// src/cli.ts
const log = openLog();
const interruption = new AbortController();
/** In milliseconds since the process started. */
let interruptedAt = 0;
let exitCode = 0;
const context = {
	get cache() {
		return openCache();
	},
	environment: process.env,
	log,
	signal: interruption.signal
};
for (const name of [
	"SIGINT",
	"SIGTERM",
	"SIGHUP"
]) process.on(name, () => {
	if (interruption.signal.aborted) {
		if (performance.now() - interruptedAt > 1e3) process.exit(130);
		return;
	}
	interruptedAt = performance.now();
	log.progress(`${name}: ending the guests`);
	interruption.abort(new InterruptedError(`interrupted by ${name}`));
});
for (const stream of [process.stdout, process.stderr]) stream.on("error", (error) => {
	if (error.code === "EPIPE") interruption.abort(new InterruptedError("nobody reads the output any more"));
	else throw error;
});
process.on("uncaughtException", (error) => process.exit(explain(error)));
/** Of a command's output that nobody has read yet, in bytes. */
const maxUntaken = 16777216;
const formats = [
	"text",
	"json",
	"markdown"
];
const snapshotOption = new Option("--no-snapshot", "boot every guest anew, and save none for later");
const freshBaseOption = new Option("--fresh-base", "measure all anew, also base that an equal run has measured and kernels of a run that was cut short, and keep nothing");
const runnerOption = () => new Option("--runner <runner>", "what boots the guests").choices(runners);
const program = new Command("bpfgate").description("A performance gate for eBPF: exact instruction counts on pinned kernels, base against head").version(version).exitOverride().configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "bpfgate: ")) }).showSuggestionAfterError();
const formatOption = new Option("--format <format>", "what to print on stdout").choices(formats).default("text");
program.command("run").description("compare a project with its base on pinned kernels; exit 1 when something regressed").option("--project <dir>", "folder that holds bpfgate.toml", ".").option("--config <file>", "the configuration, relative to the project (default: bpfgate.toml)").option("--base <ref>", "revision to compare with (default: merge-base with the default branch)").option("--head <ref>", "revision to judge (default: the working tree)").option("--kernels <list>", "selectors, such as 6.1,5.10..6.1,lts,latest,all (default: from bpfgate.toml)").option("--lanes <list>", "lanes to measure (default: from bpfgate.toml)").option("--shard <index/count>", "measure this part of the benches only, such as 2/3 (default: all)").option("--time-budget <time>", "what the time lane may take, such as \"10 min\" (default: from bpfgate.toml)").option("--out <dir>", "folder for results.json and report.md", defaultOut).option("--timeout <seconds>", "time limit for one kernel, boot included (default: 1800)", parseSeconds).addOption(runnerOption()).addOption(snapshotOption).addOption(freshBaseOption).addOption(formatOption).action(async ({ snapshot, freshBase, ...options }) => {
	const inputs = await readInputs(options, (option) => `--${option}`);
	const tools = await findTools(inputs.runner);
	const guests = {
		...context,
		environment: tools.env,
		snapshots: snapshot,
		keepBase: freshBase !== true
	};
	const run = await runGate(inputs, guests, timeLimit(options.timeout));
	await conclude(run, options.format, inputs.out);
	exitCode = exitCodeOf(run.results);
});
program.command("demo").description("install what is missing and run the gate on the bundled example project with two planted regressions").option("--kernels <list>", "kernel selectors", "5.10,6.1").option("--out <dir>", "folder for results.json and report.md", defaultOut).addOption(runnerOption().default(runners[0])).addOption(snapshotOption).addOption(freshBaseOption).action(async ({ snapshot, freshBase, ...options }) => {
	chooseKernels([options.kernels], context.cache);
	const tools = await installMissing([
		"vm",
		"agent",
		"example",
		...groupsOf(options.runner)
	], context);
	const project = await makeDemoRepository(context.cache);
	const given = {
		...options,
		project,
		base: demoBase,
		head: demoHead
	};
	const inputs = await readInputs(given, (option) => `--${option}`);
	const guests = {
		...context,
		environment: tools.env,
		snapshots: snapshot,
		keepBase: freshBase !== true
	};
	const run = await runGate(inputs, guests);
	await conclude(run, "text", inputs.out);
	const failures = demoFailures(run.results);
	for (const failure of failures) log.warn(`demo: ${failure}`);
	if (failures.length === 0) log.progress("demo: both planted regressions were found on every kernel, and nothing else changed");
	exitCode = failures.length === 0 ? 0 : 1;
});
const kernels = program.command("kernels").description("the kernels that can be booted").exitOverride();
const selectorHelp = "selectors such as 6.1, 6.1:source, 5.10..6.1, lts, latest, all";
kernels.command("list").description("print the kernels, what each lets BPF programs do, and whether it is cached (default: all there are)").argument("[selectors...]", selectorHelp).addOption(new Option("--format <format>", "what to print on stdout").choices(["text", "json"]).default("text")).action((selectors, options) => {
	const list = listKernels(allOrChosen(selectors), readMissing(), readCacheState);
	write(options.format === "json" ? JSON.stringify(list, null, 2) : renderKernels(list));
});
kernels.command("fetch").description("bring kernels into the cache: fetched and verified, then unpacked or built").argument("[selectors...]", selectorHelp, ["lts"]).action(async (selectors) => {
	for (const pin of chooseKernels(selectors, context.cache)) {
		const kernel = await fetchKernel(pin, context);
		log.clear();
		write(`${pin.id} ${pin.release} ${kernel.image}`);
	}
});
kernels.command("build").description("compile a kernel from its pinned tarball, or from an unpacked tree, into the cache").argument("<selector>", "a minor version, such as 5.8").option("--source <dir>", "build this unpacked tree; it is then selected as 5.8:tree").option("--asset <file>", "also pack the kernel into this file, and print its SHA-256").option("--jobs <number>", "compilers at once (default: one per CPU)", parsePositive).action(async (selector, options) => {
	const text = await buildOnRequest({
		selector,
		...options
	}, {
		...context,
		jobs: options.jobs
	});
	log.clear();
	write(text);
});
kernels.command("verify").description("check the pins, and cached kernels against the sums recorded when they were made (default: all there are)").argument("[selectors...]", selectorHelp).action(async (selectors) => {
	const broken = /* @__PURE__ */ new Map();
	const note = (error) => {
		if (!(error instanceof GateError)) throw error;
		broken.set(error.message, error);
		return "broken";
	};
	for (const pin of allOrChosen(selectors)) write(`${pin.id} ${pin.release} ${await verifyCached(pin).catch(note)}`);
	if (selectors.length === 0) findUnreadable(context.cache).forEach(note);
	for (const error of broken.values()) exitCode = explain(error);
});
kernels.command("update").description("propose newer pins from the origins' signed indexes: prints a patch of kernels.json and writes none").argument("[selectors...]", `${selectorHelp} (default: all, and new minor versions)`).addOption(new Option("--origin <origin>", "read this origin only").choices(updateOrigins)).option("--keyring <file>", "kernel.org's signing key, as gpg --export writes it (default: fetched)").option("--out <file>", "write the patch to a file instead").action(async (selectors, options) => {
	const chosen = selectors.length === 0 ? void 0 : selectKernels(selectors, readPins(), readMissing());
	const update = await updatePins(await readFile(join(packageRoot, pinsFile), "utf8"), {
		...context,
		origins: options.origin === void 0 ? void 0 : [options.origin],
		minors: chosen && new Set(chosen.map(({ minor }) => minor)),
		keyring: options.keyring
	});
	log.clear();
	for (const { index, error } of update.unreachable) log.warn(`${index} is left out: ${error.message}\n  hint: ${error.hint}`);
	process.stderr.write(`${update.changes.map(renderChange).join("\n") || "no index has a newer release"}\n`);
	if (options.out !== void 0) await writeFileWhole(options.out, update.diff);
	else if (update.diff !== "") write(update.diff);
	for (const fault of update.faults) exitCode = explain(fault);
});
async function verifyCached(pin) {
	const kernel = await verifyKernel(pin, context.cache);
	if (kernel === void 0) return "not cached";
	await verifyBootImage(kernel, context.cache);
	return "ok";
}
/** All kernels there are when none is chosen: unlike `all`, with those that are no minor version's default. */
function allOrChosen(selectors) {
	return selectors.length === 0 ? [...readPins(), ...listTreeKernels(context.cache)].sort(compareKernels) : chooseKernels(selectors, context.cache);
}
function readCacheState(pin) {
	try {
		const kernel = cachedKernel(pin, context.cache);
		if (kernel === void 0) return void 0;
		return {
			broken: false,
			config: readFileSync(kernel.config, "utf8"),
			imageBytes: statSync(kernel.image).size
		};
	} catch {
		return { broken: true };
	}
}
program.command("exec").description("boot one pinned kernel and run a command in it; exits with the command's own code").requiredOption("--kernel <selector>", "the kernel").option("--timeout <seconds>", "time limit, boot included", parseSeconds, 1800).option("--memory <MiB>", "memory of the guest", parsePositive, defaultMemoryMiB).addOption(runnerOption().default(runners[0])).option("--icount", "count instructions as the gate does: a nanosecond of the guest is one").option("--timing", "also print how long each stage of the boot took, on stderr").addOption(snapshotOption).argument("<command...>", "the command and its arguments, after --").action(async (argv, options) => {
	const pins = chooseKernels([options.kernel], context.cache);
	const [pin] = pins;
	if (pin === void 0 || pins.length > 1) throw new InputError(`--kernel ${options.kernel} selects ${pins.map(({ id }) => id).join(", ")}; exec boots exactly one`);
	const tools = await findTools(options.runner);
	const kernel = await fetchKernel(pin, context);
	exitCode = await execInGuest({
		kernel,
		argv,
		cwd: process.cwd(),
		memoryMiB: options.memory,
		icount: options.icount === true,
		timeoutMs: options.timeout * 1e3,
		onStdout: (chunk) => {
			log.clear();
			process.stdout.write(chunk);
		},
		onStderr: (chunk) => {
			log.clear();
			process.stderr.write(chunk);
		},
		untilTaken: (stream) => process[stream].writableLength > maxUntaken ? once(process[stream], "drain") : void 0,
		onTiming: (times) => {
			log.clear();
			if (options.timing === true) process.stderr.write(`${renderTiming(times)}\n`);
		}
	}, {
		...context,
		environment: tools.env,
		snapshots: options.snapshot,
		runner: options.runner
	});
});
program.command("report").description("join the result files of a kernel matrix into one report; exits like the run it reports").argument("<files...>", "results.json files of one run, each of another kernel or shard").option("--html <file>", "also write the report as a self-contained page").option("--markdown <file>", "also write the report as Markdown").addOption(formatOption).action(async (files, options) => {
	const given = await Promise.all(files.map(async (file) => ({
		file,
		results: await readResultFile(file)
	})));
	const results = joinResults(given);
	const fileOf = fileOfProfiles(given);
	const folderOf = (kernel, bench) => dirname(fileOf(kernel, bench) ?? ".");
	const modelFor = (page) => buildReport(results, { profilesIn: (kernel, bench) => relative(dirname(resolve(page)), resolve(folderOf(kernel, bench))) });
	if (options.html !== void 0) await writeFileWhole(options.html, renderHtml(modelFor(options.html)));
	if (options.markdown !== void 0) await writeFileWhole(options.markdown, renderMarkdown(modelFor(options.markdown)));
	print(results, options.format, folderOf);
	exitCode = exitCodeOf(results);
});
program.command("export").description("print one revision's measurements in another tool's format").argument("<file>", "a results.json").addOption(new Option("--format <format>", "the format").choices(exportFormats).makeOptionMandatory()).addOption(new Option("--revision <revision>", "whose measurements").choices(revisionNames).default("head")).action(async (file, options) => {
	write(exportResults(await readResultFile(file), options.format, options.revision));
});
program.command("doctor").description("print what this machine has and lacks, and the command that mends each lack").option("--install", "install what is missing").option("--environment", "print, as JSON, the environment in which the tools are found").addOption(new Option("--runner <runner>", "count what this runner needs as needed").choices(runners)).option("--tests", "count what bpfgate's own tests build projects with as needed").action(async (options) => {
	const tests = options.tests === true ? ["tests"] : [];
	const groups = [
		"vm",
		"agent",
		"example",
		...groupsOf(options.runner),
		...tests
	];
	const others = optionalGroups.filter((group) => !groups.includes(group));
	if (options.install === true) await installMissing(groups, context);
	if (options.environment === true) {
		write(JSON.stringify((await requirePrerequisites(groups, { cache: context.cache })).env));
		return;
	}
	const found = await checkPrerequisites(groups, context);
	const optional = await checkPrerequisites(others, context);
	log.clear();
	write(renderPrerequisites([...found, ...optional], others));
	exitCode = lacking(found).length === 0 ? 0 : 3;
});
try {
	await program.parseAsync();
} catch (error) {
	exitCode = explain(error);
}
log.clear();
process.exitCode = exitCode;
/** Prints one clear message for an error and returns the exit code it stands for. */
function explain(thrown) {
	if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
	const error = machineFailure(thrown) ?? thrown;
	log.clear();
	if (interruption.signal.aborted) {
		process.stderr.write("bpfgate: interrupted; nothing was left running\n");
		return new InterruptedError("").exitCode;
	}
	if (!(error instanceof GateError)) {
		process.stderr.write(`bpfgate: this is a defect of bpfgate: ${error instanceof Error ? error.stack : error}\n`);
		return 3;
	}
	process.stderr.write(`bpfgate: ${toPlainText(error.message)}\n`);
	if (error instanceof VmError && error.consoleTail.length > 0) process.stderr.write(`  last console lines:\n${error.consoleTail.map((line) => `    ${line}\n`).join("")}`);
	if (error.hint !== void 0) process.stderr.write(`  hint: ${toPlainText(error.hint)}\n`);
	return error.exitCode;
}
function write(text) {
	process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}
/**
* Prints a run and writes it to the output folder.
*
* @throws InterruptedError when it was interrupted: what had been measured is told, and is not the whole
*/
async function conclude(run, format, out) {
	print(run.results, format, () => out);
	await publishGate(run, out, context.cache);
	log.progress(`wrote results.json and report.md to ${out}`);
	interruption.signal.throwIfAborted();
}
/** @param folderOf the output folder in which the profiles of a kernel's bench are */
function print(results, format, folderOf) {
	log.clear();
	const model = () => buildReport(results, {
		profilesIn: folderOf,
		linkProfiles: false
	});
	const terminal = {
		width: process.stdout.columns ?? 100,
		colour: process.stdout.isTTY === true
	};
	if (format === "json") write(serializeResults(results));
	else if (format === "markdown") write(renderMarkdown(model()));
	else write(renderText(model(), terminal));
}
function writeFileWhole(file, text) {
	return writeOutputs(dirname(file), { [basename(file)]: text });
}
/** The machine's tools, and where they are built already the ones that only some projects need. */
function findTools(runner) {
	return requirePrerequisites([
		"vm",
		"agent",
		...groupsOf(runner)
	], {
		cache: context.cache,
		optional: ["example"]
	});
}
/** What a runner needs beyond what every guest does. */
function groupsOf(runner) {
	return runner === "virtme-ng" ? ["virtme-ng"] : [];
}
function timeLimit(seconds) {
	return seconds === void 0 ? {} : { kernelTimeoutMs: seconds * 1e3 };
}
function parsePositive(text) {
	const value = Number(text);
	if (!Number.isInteger(value) || value <= 0) throw new InvalidArgumentError("a whole number above 0 is needed.");
	return value;
}
/** Up to a day: setTimeout takes 32 bits of milliseconds. */
function parseSeconds(text) {
	const value = parsePositive(text);
	if (value > 86400) throw new InvalidArgumentError("at most 86400 seconds (a day).");
	return value;
}
export {};
