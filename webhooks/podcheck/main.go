// Command podcheck is Kubernetes' own judgement of pods as a WebAssembly reactor: it decodes, defaults and validates a
// pod with the API server's code, and says what the API server would say of its creation.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	jsonv2 "encoding/json/v2"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	k8sv1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/capabilities"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	kjson "sigs.k8s.io/json"
)

// The host shows no more; a template with thousands of faults must not cost thousands of lines.
const mostFindings = 100

// finding is one fault, at a path of the pod.
type finding struct {
	Field string `json:"field,omitempty"`
	// Reason as in the causes of a Status (FieldValueInvalid and so on), or as pod security has it (host ports).
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// verdict is what the host gets, as JSON.
type verdict struct {
	// Decode says why the JSON is no pod at all; everything else is then absent.
	Decode string `json:"decode,omitempty"`
	// Strict names unknown and duplicate fields with their paths.
	Strict []string  `json:"strict,omitempty"`
	Errors []finding `json:"errors,omitempty"`
	// Warnings as the API server sends them with its answer.
	Warnings    []string  `json:"warnings,omitempty"`
	PodSecurity []finding `json:"podSecurity,omitempty"` // what the level forbids, without paths
	More        int       `json:"more,omitempty"`        // the number of errors that were left out
}

// Half as often as by default garbage is collected, for 5 MB more: most of the heap is tables, which stay.
func init() { debug.SetGCPercent(200) }

// The checks are the library's own: it cannot refuse them.
var evaluator, _ = policy.NewEvaluator(policy.DefaultChecks(), nil)

// judge reads what the host asks, on three lines: the level of pod security that the namespace enforces, or nothing; JSON
// of the pod that the stored object leads to, or nothing, for what was legal once may go on; JSON of the pod itself.
func judge(raw []byte) (v verdict) {
	// A panic of the validation is a refusal: one strange pod may not cost the next one its verdict.
	defer func() {
		if problem := recover(); problem != nil {
			v = verdict{Decode: fmt.Sprintf("the validation failed: %v", problem)}
		}
	}()
	lines := bytes.SplitN(raw, []byte{'\n'}, 3)
	level, oldText, text := api.Level(lines[0]), lines[1], lines[2]
	pod, strict := &corev1.Pod{}, []error(nil)
	// The API server's own decoder takes half of the whole time; it is asked where this one finds anything at all.
	err := jsonv2.Unmarshal(text, pod, jsonv2.RejectUnknownMembers(true))
	if err != nil {
		pod = &corev1.Pod{}
		strict, err = kjson.UnmarshalStrict(text, pod)
	}
	if err != nil {
		var tree any
		if kjson.UnmarshalCaseSensitivePreserveInts(text, &tree) == nil && v.prune(tree, reflect.TypeFor[corev1.Pod](), nil) {
			pod = &corev1.Pod{}
			mended, _ := json.Marshal(tree)
			strict, err = kjson.UnmarshalStrict(mended, pod)
		}
	}
	var internal *core.Pod
	if err == nil {
		internal, err = prepared(pod)
	}
	if err != nil {
		return verdict{Decode: err.Error()}
	}
	for _, problem := range strict[:min(len(strict), mostFindings)] {
		v.Strict = append(v.Strict, problem.Error())
	}
	var oldSpec *core.PodSpec
	var oldMeta *metav1.ObjectMeta
	old := &corev1.Pod{}
	if len(oldText) > 0 && kjson.UnmarshalCaseSensitivePreserveInts(oldText, old) == nil {
		if was, err := prepared(old); err == nil {
			oldSpec, oldMeta = &was.Spec, &was.ObjectMeta
		}
	}
	options := podutil.GetValidationOptionsFromPodSpecAndMeta(&internal.Spec, oldSpec, &internal.ObjectMeta, oldMeta)
	options.ResourceIsPod = true
	capabilities.Setup(true, 0) // whether there are privileged containers is a flag of the API server's; nearly all have it
	v.addErrors(validation.ValidatePodCreate(internal, options))
	if faults := utilvalidation.IsDNS1123Label(pod.Name); len(faults) > 0 {
		v.Warnings = append(v.Warnings, fmt.Sprintf("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: %v", faults))
	}
	v.Warnings = append(v.Warnings, podutil.GetWarningsForPod(context.Background(), internal, nil)...)
	v.Warnings = v.Warnings[:min(len(v.Warnings), mostFindings)]
	if level == "" {
		return v
	}
	for _, result := range evaluator.EvaluatePod(api.LevelVersion{Level: level, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec) {
		if !result.Allowed {
			v.PodSecurity = append(v.PodSecurity, finding{Reason: result.ForbiddenReason, Message: result.ForbiddenDetail})
		}
	}
	return v
}

// prepared is the pod as the API server has it before it validates: with defaults, without what is switched off, and
// with the label keys of affinity and spreading in their selectors; a faulty label is told where it was written alone.
func prepared(pod *corev1.Pod) (*core.Pod, error) {
	legacyscheme.Scheme.Default(pod)
	internal := &core.Pod{}
	if err := k8sv1.Convert_v1_Pod_To_core_Pod(pod, internal, nil); err != nil {
		return nil, err
	}
	podutil.DropDisabledPodFields(internal, nil)
	merge := func(selector *metav1.LabelSelector, keys []string, operator metav1.LabelSelectorOperator) {
		for _, key := range keys {
			if value, ok := internal.Labels[key]; ok && selector != nil && len(utilvalidation.IsQualifiedName(key))+len(utilvalidation.IsValidLabelValue(value)) == 0 {
				selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}})
			}
		}
	}
	mergeTerms := func(terms []core.PodAffinityTerm, weighted []core.WeightedPodAffinityTerm) {
		for _, preferred := range weighted {
			terms = append(terms, preferred.PodAffinityTerm)
		}
		for _, term := range terms {
			merge(term.LabelSelector, term.MatchLabelKeys, metav1.LabelSelectorOpIn)
			merge(term.LabelSelector, term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn)
		}
	}
	if affinity := internal.Spec.Affinity; affinity != nil {
		if near := affinity.PodAffinity; near != nil {
			mergeTerms(near.RequiredDuringSchedulingIgnoredDuringExecution, near.PreferredDuringSchedulingIgnoredDuringExecution)
		}
		if far := affinity.PodAntiAffinity; far != nil {
			mergeTerms(far.RequiredDuringSchedulingIgnoredDuringExecution, far.PreferredDuringSchedulingIgnoredDuringExecution)
		}
	}
	for _, constraint := range internal.Spec.TopologySpreadConstraints {
		merge(constraint.LabelSelector, constraint.MatchLabelKeys, metav1.LabelSelectorOpIn)
	}
	return internal, nil
}

// prune takes out of a pod's JSON what its types cannot hold, names it, and says whether the value itself may stay.
func (v *verdict) prune(value any, of reflect.Type, at *field.Path) bool {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	_, decodesItself := reflect.New(of).Interface().(json.Unmarshaler)
	node, isObject := value.(map[string]any)
	items, isList := value.([]any)
	switch {
	case value == nil:
	case isObject && of.Kind() == reflect.Map:
		for _, key := range slices.Sorted(maps.Keys(node)) {
			if !v.prune(node[key], of.Elem(), at.Key(key)) {
				delete(node, key)
			}
		}
	case isObject && of.Kind() == reflect.Struct && !decodesItself:
		for _, member := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(member.Tag.Get("json"), ",")
			if name != "" && !v.prune(node[name], member.Type, at.Child(name)) {
				delete(node, name)
			}
		}
	case isList && of.Kind() == reflect.Slice && !decodesItself:
		for i, item := range items {
			if !v.prune(item, of.Elem(), at.Index(i)) {
				items[i] = nil
			}
		}
	default:
		text, _ := json.Marshal(value)
		if err := kjson.UnmarshalCaseSensitivePreserveInts(text, reflect.New(of).Interface()); err != nil {
			v.addErrors(field.ErrorList{field.Invalid(at, field.OmitValueType{}, err.Error())})
			return false
		}
	}
	return true
}

// addErrors leaves out what only follows from a value that prune took out.
func (v *verdict) addErrors(errs field.ErrorList) {
	pruned := v.Errors
	for _, err := range errs {
		within := func(f finding) bool {
			rest, ok := strings.CutPrefix(err.Field, f.Field)
			return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
		}
		switch {
		case slices.ContainsFunc(pruned, within):
		case len(v.Errors) >= mostFindings:
			v.More++
		default:
			v.Errors = append(v.Errors, finding{Field: err.Field, Reason: string(err.Type), Message: err.ErrorBody()})
		}
	}
}

// What the host writes and reads; global, so that the garbage collector leaves it alone between two calls.
var question, answer []byte

// allocate makes room for a request of so many bytes and says where.
//
//go:wasmexport allocate
func allocate(size uint32) uint32 {
	question = make([]byte, size)
	return address(question)
}

// check judges the request that was written there. The answer's address is in the upper half of the result, its
// length in the lower one.
//
//go:wasmexport check
func check() uint64 {
	answer, _ = json.Marshal(judge(question))
	question = nil
	return uint64(address(answer))<<32 | uint64(len(answer))
}

func address(buffer []byte) uint32 {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(buffer))))
}

func main() {} // a reactor has none; the toolchain asks for it
